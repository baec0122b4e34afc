// The outcome: who won, or that the game was a draw. A share of it may be the searches' instead: the outcome depends on
// mistakes of many plies later, the values of the next searches on what the network thinks already. The settings
// root_value_share and root_value_horizon say how much of it and over how many plies. A search's value counts a draw as
// equal parts of a win for each player.
#pragma once

#include <algorithm>

#include "train/targets/average_value.h"
#include "train/targets/target.h"

namespace koridor {

class ValueTarget final : public Target {
 public:
  Head head() const override { return basic_heads()[1]; }
  double default_weight() const override { return 1.0; }
  const char* comment() const override { return "weight of the loss of the outcome: who won, or a draw"; }
  using Target::write;
  void write(const PlyView& ply, std::span<float> out) const override {
    const auto players = static_cast<std::size_t>(ply.shard.info.players);
    const float* outcome = ply.shard.game_outcome.data() + ply.number * players;
    std::ranges::fill(out, 0.0f);
    const auto winner = static_cast<std::size_t>(std::find_if(outcome, outcome + players, won) - outcome);
    const auto share = static_cast<float>(ply.settings.root_value_share);
    out[winner] = 1.0f - share;  // the last entry, the draw, where there is none
    if (share <= 0) return;
    const double horizon = ply.settings.root_value_horizon * ply.shape.area();
    for (std::size_t player = 0; player < players; ++player) {
      out[player] += share * average_value(ply, horizon, player);
    }
  }

 private:
  static bool won(float outcome) { return outcome > 0.999f; }
};

}  // namespace koridor
