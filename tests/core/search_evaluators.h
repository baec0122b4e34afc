// Stand-ins for a network in the tests of search: callables from a state to a Prediction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "core/search/search.h"

namespace koridor {

// Every action equally good, every player equally likely to win, no draw.
template <Game G>
class UniformEvaluator {
 public:
  explicit UniformEvaluator(const G& game)
      : policy_(static_cast<std::size_t>(game.encoding({}).policy_size())),
        value_(static_cast<std::size_t>(game.players()) + 1, 1.0f / static_cast<float>(game.players())) {
    value_.back() = 0.0f;
  }
  Prediction operator()(const typename G::State&) {
    ++calls;
    return {policy_, value_};
  }
  int calls = 0;

 private:
  std::vector<float> policy_;
  std::vector<float> value_;
};

// A prediction drawn from the state's key: always the same for the same state.
template <Game G>
class HashEvaluator {
 public:
  explicit HashEvaluator(const G& game, double spread = 2.0)
      : game_(&game),
        spread_(spread),
        policy_(static_cast<std::size_t>(game.encoding({}).policy_size())),
        value_(static_cast<std::size_t>(game.players()) + 1) {}

  Prediction operator()(const typename G::State& state) {
    ++calls;
    Random random(game_->key(state));
    for (float& logit : policy_) logit = static_cast<float>(spread_ * random.normal());
    float total = 0.0f;
    for (float& value : value_) total += value = static_cast<float>(random.positive_uniform());
    for (float& value : value_) value /= total;
    return {policy_, value_};
  }
  int calls = 0;

 private:
  const G* game_;
  double spread_;
  std::vector<float> policy_;
  std::vector<float> value_;
};

}  // namespace koridor
