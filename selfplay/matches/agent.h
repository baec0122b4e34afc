// One player in one game, thinking step by step: it runs until it needs the network or knows its action, so that a
// thread can play many games at once and evaluate their positions in one batch. All kinds share one interface:
//
//   agent.new_game(position);
//   agent.begin(random);
//   while (agent.step() == SearchStep::evaluate) { evaluate(agent.leaf()); agent.supply(prediction); }
//   agent.play(agent.action());      // play() also tells it the others' actions
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/rollout.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "selfplay/matches/alphabeta.h"
#include "selfplay/matches/players.h"

namespace koridor {

template <Game G>
class Agent {
 public:
  // The game must outlive the agent. A solver must be prepared for it (players.h).
  Agent(const G& game, const MatchPlayer& player)
      : game_(&game), visits_(player.visits), position_(game), mind_(make_mind(game, player)) {}

  void new_game(const Position<G>& position) {
    position_ = position;
    if (Search<G>* search = tree()) search->reset(position);
  }

  // Starts to think about the position. `random` is used until action() was called.
  void begin(Random& random) {
    random_ = &random;
    if (Search<G>* search = tree()) search->begin({.visits = visits_, .explore = false}, random);
  }

  SearchStep step() {
    if (auto* mcts = std::get_if<Mcts>(&mind_)) {
      while (mcts->search.step() == SearchStep::evaluate) {
        mcts->search.supply(mcts->rollout(mcts->search.leaf(), mcts->search.leaf_history(), *random_));
      }
      return SearchStep::done;
    }
    if (auto* search = std::get_if<Search<G>>(&mind_)) return search->step();
    return SearchStep::done;
  }

  const typename G::State& leaf() const { return std::get<Search<G>>(mind_).leaf(); }
  void supply(const Prediction& prediction) { std::get<Search<G>>(mind_).supply(prediction); }

  // After done. A temperature above 0 makes a search's choice random in proportion to its visits.
  Action action(double temperature = 0) {
    if (Search<G>* search = tree()) return search->sample_action(temperature, *random_);
    if (auto* alphabeta = std::get_if<AlphaBeta<G>>(&mind_)) return alphabeta->choose(position_, *random_);
    if (const auto* solver = std::get_if<std::shared_ptr<const Solver<G>>>(&mind_)) {
      const std::vector<Action> best = (*solver)->solution(position_).best;
      return best[static_cast<std::size_t>(random_->below(static_cast<int>(best.size())))];
    }
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    return legal.nth(random_->below(legal.count()));
  }

  // Somebody played; the tree below the action is kept.
  void play(Action action) {
    if (Search<G>* search = tree()) {
      search->play(action);
    } else {
      position_.apply(*game_, action);
    }
  }

 private:
  struct AnyAction {};
  struct Mcts {
    Search<G> search;
    RolloutEvaluator<G> rollout;
  };
  using Mind = std::variant<AnyAction, AlphaBeta<G>, Mcts, Search<G>, std::shared_ptr<const Solver<G>>>;

  static Mind make_mind(const G& game, const MatchPlayer& player) {
    switch (player.spec.kind) {
      case PlayerKind::random:
        return AnyAction{};
      case PlayerKind::greedy:
        return AlphaBeta<G>(game, 1);
      case PlayerKind::alphabeta:
        return AlphaBeta<G>(game, player.spec.depth);
      case PlayerKind::mcts: {
        // Uniform priors and playouts say nothing that Gumbel's completed values could use: plain UCT-like PUCT.
        SearchConfig config = player.search;
        config.algorithm = Puct::kName;
        return Mcts{Search<G>(game, config, player.visits), RolloutEvaluator<G>(game, 1)};
      }
      case PlayerKind::model:
        return Search<G>(game, player.search, player.visits);
      case PlayerKind::solver:
        return std::get<std::shared_ptr<const Solver<G>>>(*player.solver);
    }
    return AnyAction{};
  }

  Search<G>* tree() {
    if (auto* mcts = std::get_if<Mcts>(&mind_)) return &mcts->search;
    return std::get_if<Search<G>>(&mind_);
  }

  const G* game_;
  int visits_;
  Position<G> position_;  // of players without a tree
  Random* random_ = nullptr;
  Mind mind_;
};

}  // namespace koridor
