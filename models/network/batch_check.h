// The preconditions of every evaluator. Breaking one is a mistake of the program, not of its user.
#pragma once

#include <cassert>
#include <cstddef>

#include "models/network/evaluator.h"

namespace koridor {

inline void assert_batch([[maybe_unused]] const EncodingShape& shape, [[maybe_unused]] int max_batch,
                         [[maybe_unused]] const Batch& batch, [[maybe_unused]] const Predictions& out) {
  [[maybe_unused]] const auto at_least = [&](std::size_t have, int each) {
    return have >= static_cast<std::size_t>(batch.size) * static_cast<std::size_t>(each);
  };
  assert(batch.size >= 1 && batch.size <= max_batch);
  assert(at_least(batch.planes.size(), shape.plane_floats()));
  assert(at_least(batch.scalars.size(), shape.scalars));
  assert(at_least(out.policy.size(), shape.policy_size()));
  assert(at_least(out.value.size(), shape.value_size()));
  assert(out.auxiliary.empty() || at_least(out.auxiliary.size(), shape.players));
}

}  // namespace koridor
