// One search, one evaluator, one position at a time: for a person at the board, tools and tests. Self-play and matches
// batch many searches instead (generator.h, match.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/search.h"
#include "models/evaluator.h"

namespace koridor {

// Runs a whole search from the root of `search`.
template <Game G>
void think(const G& game, Search<G>& search, Evaluator& evaluator, const Features& features, const SearchLimits& limits,
           Random& random) {
  const EncodingShape& shape = evaluator.shape();
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  std::vector<float> policy(static_cast<std::size_t>(shape.policy_size()));
  std::vector<float> value(static_cast<std::size_t>(shape.value_size()));
  search.begin(limits, random);
  while (search.step() == Search<G>::Step::evaluate) {
    game.encode(search.leaf(), features, 0, planes.data(), scalars.data());
    evaluator.evaluate({1, planes, scalars}, {policy, value, {}});
    search.supply({policy, value});
  }
}

}  // namespace koridor
