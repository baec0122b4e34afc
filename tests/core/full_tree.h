// The value of a position by looking at every continuation to the end of the game, ply cap and repetition as the rules
// say: slow, simple, and independent of the solvers it checks.
#pragma once

#include <tuple>
#include <unordered_map>

#include "core/game.h"
#include "core/solve/solution.h"

namespace koridor {

// What a value is to the other player.
constexpr Proof opposite(Proof proof) {
  return static_cast<Proof>(-static_cast<int>(proof));
}

template <Game G>
class FullTree {
 public:
  // `remember`: positions of equal key have equal values; wrong where the past counts.
  FullTree(const G& game, bool remember) : game_(game), remember_(remember) {}

  Solution solution(Position<G>& position) {
    Solution solution;
    ActionMask legal;
    game_.legal_actions(position.state, position.history, legal);
    legal.for_each([&](Action action) { solution.actions.push_back(value_of(position, action)); });
    choose_best(solution);
    return solution;
  }

 private:
  SolvedAction value_of(Position<G>& position, Action action) {
    const typename G::State before = position.state;
    const int player = game_.player_to_move(before);
    const std::size_t mark = position.history.size();
    position.apply(game_, action);
    const Outcome outcome = game_.outcome(position.state, position.history);
    SolvedAction solved{action, Proof::draw, 0};
    if (outcome.kind == Outcome::Kind::win) {
      solved = {action, outcome.winner == player ? Proof::win : Proof::loss, 1};
    } else if (outcome.kind == Outcome::Kind::ongoing) {
      const auto [value, distance] = value_for_mover(position);
      solved = {action, opposite(value), value == Proof::draw ? 0 : distance + 1};
    }
    position.state = before;
    position.history.truncate(mark);
    return solved;
  }

  std::pair<Proof, int> value_for_mover(Position<G>& position) {
    const std::uint64_t key = game_.key(position.state);
    const auto known = values_.find(key);
    if (remember_ && known != values_.end()) return known->second;
    const Solution found = solution(position);
    const std::pair<Proof, int> value{found.value, found.distance};
    if (remember_) values_[key] = value;
    return value;
  }

  const G& game_;
  bool remember_;
  std::unordered_map<std::uint64_t, std::pair<Proof, int>> values_;
};

}  // namespace koridor
