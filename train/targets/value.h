// The outcome: who won, or that the game was a draw.
#pragma once

#include <algorithm>

#include "train/targets/target.h"

namespace koridor {

class ValueTarget final : public Target {
 public:
  Head head() const override { return basic_heads()[1]; }
  double default_weight() const override { return 1.0; }
  const char* comment() const override { return "weight of the loss of the outcome: who won, or a draw"; }
  bool of_game() const override { return true; }
  using Target::write;
  void write(const PlyView& ply, std::span<float> out) const override {
    const auto players = static_cast<std::size_t>(ply.shard.info.players);
    const float* outcome = ply.shard.game_outcome.data() + ply.number * players;
    std::ranges::fill(out, 0.0f);
    const auto winner = static_cast<std::size_t>(std::find_if(outcome, outcome + players, won) - outcome);
    out[winner] = 1.0f;  // the last entry, the draw, where there is none
  }

 private:
  static bool won(float outcome) { return outcome > 0.999f; }
};

}  // namespace koridor
