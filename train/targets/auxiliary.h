// What each player has at the end, as the game measures it (game.auxiliary): in wall games the length of the path left
// to the goal, in Go the share of the area. It says by how much a game was won, where the value says only by whom.
#pragma once

#include <algorithm>

#include "train/targets/target.h"

namespace koridor {

class AuxiliaryTarget final : public Target {
 public:
  Head head() const override { return basic_heads()[2]; }
  double default_weight() const override { return 0.15; }
  const char* comment() const override {
    return "weight of the loss of each player's final path length, in Go of its share of the area";
  }
  bool of_game() const override { return true; }
  using Target::write;
  void write(const PlyView& ply, std::span<float> out) const override {
    std::copy_n(ply.shard.game_auxiliary.data() + ply.number * out.size(), out.size(), out.begin());
  }
};

}  // namespace koridor
