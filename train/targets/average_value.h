// The exponential average of the root values of a ply's search and the next ones,
//     (1 - l) * sum_k l^k v(t + k) + l^n * outcome,     l = 1 - 1 / (1 + horizon),     n plies to the end of the game
//
// A ply without a search, as an opponent's (selfplay.opponents), has no value: the next one with a search has its
// weight, or the outcome where there is none.
#pragma once

#include <cstddef>

#include "train/targets/target.h"

namespace koridor {

// For a player by seat, in [0, 1]. `horizon`, in plies, is at least 0; at 0 it is the value of this ply's search.
inline float average_value(const PlyView& ply, double horizon, std::size_t player) {
  const auto players = static_cast<std::size_t>(ply.shard.info.players);
  const double keep = 1.0 - 1.0 / (1.0 + horizon);
  double sum = 0.0;
  double left = 1.0;     // the weight of all later values and of the outcome
  double carried = 0.0;  // the weights of plies without a value
  for (std::size_t row = ply.ply; row < ply.end; ++row) {
    carried += left * (1.0 - keep);
    left *= keep;
    if (!is_searched(ply.shard.kind(row))) continue;
    sum += carried * ply.shard.ply_value[row * players + player];
    carried = 0.0;
  }
  return static_cast<float>(sum + (left + carried) * ply.shard.game_outcome[ply.number * players + player]);
}

}  // namespace koridor
