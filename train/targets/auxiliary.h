// What each player has at the end: in wall games the length of the path left to the goal (game.auxiliary), in Go the
// share of the area if the game had been played out. It says by how much a game was won, where the value says only by
// whom.
#pragma once

#include <algorithm>
#include <numeric>
#include <variant>
#include <vector>

#include "train/targets/final_owners.h"
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
    if (const auto* const game = std::get_if<go::GoGame>(&ply.game)) {
      const std::vector<float>& owners = final_owners(*game, final_state(*game, ply));
      const float black = std::accumulate(owners.begin(), owners.end(), 0.0f) / static_cast<float>(owners.size());
      out[0] = black;
      out[1] = 1.0f - black;
      return;
    }
    std::copy_n(ply.shard.game_auxiliary.data() + ply.number * out.size(), out.size(), out.begin());
  }
};

}  // namespace koridor
