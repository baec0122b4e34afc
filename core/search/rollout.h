// Monte-Carlo evaluation without a network: play uniformly random legal actions to the end of the game, or what the
// game itself offers for playouts (Go fills no own eye, or its games would not end).
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/search.h"

namespace koridor {

// The outcome's values (seat order) of one random game from a position, which may be over. `history` is used on the way
// and left as it was.
template <Game G>
Values rollout_value(const G& game, typename G::State state, History& history, Random& random) {
  const std::size_t size = history.size();
  Outcome outcome = game.outcome(state, history);
  while (!outcome.over()) {
    Action action;
    if constexpr (requires { game.random_playout_action(state, history, random); }) {
      action = game.random_playout_action(state, history, random);
    } else {
      action = random_action(game, state, history, random);
    }
    remember(game, state, history);
    game.apply(state, action);
    outcome = game.outcome(state, history);
  }
  history.truncate(size);
  return outcome.values;
}

template <Game G>
Values rollout_value(const G& game, const Position<G>& position, Random& random) {
  History history = position.history;
  return rollout_value(game, position.state, history, random);
}

// Makes a search a pure Monte-Carlo tree search: a uniform policy, and the mean of some random games as the value.
//
//   RolloutEvaluator<G> rollout(game, 1);
//   while (search.step() == SearchStep::evaluate) search.supply(rollout(search.leaf(), search.leaf_history(), random));
template <Game G>
class RolloutEvaluator {
 public:
  RolloutEvaluator(const G& game, int rollouts)
      : game_(&game),
        rollouts_(rollouts),
        history_(game.max_plies() + 1),
        policy_(static_cast<std::size_t>(game.encoding({}).policy_size())),
        value_(static_cast<std::size_t>(game.players()) + 1) {}

  // The result is valid until the next call.
  Prediction operator()(const typename G::State& state, const History& history, Random& random) {
    const int players = game_->players();
    const int mover = game_->player_to_move(state);
    std::fill(value_.begin(), value_.end(), 0.0f);
    history_ = history;
    for (int i = 0; i < rollouts_; ++i) {
      const Values values = rollout_value(*game_, state, history_, random);
      for (int player = 0; player < players; ++player) {
        value_[(player - mover + players) % players] += values[player] / static_cast<float>(rollouts_);
      }
    }
    return {policy_, value_};
  }

 private:
  const G* game_;
  int rollouts_;
  History history_;
  std::vector<float> policy_;  // [policy_size]: zero logits
  std::vector<float> value_;   // [players + 1]
};

}  // namespace koridor
