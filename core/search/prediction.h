// What a network says of a position, and the values that this means.
#pragma once

#include <cstddef>
#include <span>

#include "core/types.h"

namespace koridor {

// In the network's own order (the mover's view).
struct Prediction {
  std::span<const float> policy;  // [policy_size] logits
  std::span<const float> value;   // [players + 1] probabilities: i: the i-th player from the mover wins; last: draw
};

// The values of a position in seat order; a draw counts for every player equally.
inline Values seat_values(const Prediction& prediction, int players, int mover) {
  const float draw = prediction.value[static_cast<std::size_t>(players)] / static_cast<float>(players);
  Values values{};
  for (int i = 0; i < players; ++i) {
    values[(mover + i) % players] = prediction.value[static_cast<std::size_t>(i)] + draw;
  }
  return values;
}

}  // namespace koridor
