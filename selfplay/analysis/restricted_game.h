// The same game with fewer actions near a position, for analyses of some of the actions only.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/game.h"

namespace koridor {

// For one player and a number of plies from the position on, the actions that an analysis looks at. Where a position
// has none of them, all its legal actions are looked at.
struct ActionLimit {
  int seat = 0;
  int plies = 1;  // 1: at the position itself alone
  ActionMask allowed{};
};

// The proofs and values of a search of this game are those of play within the limits. Networks see the game itself.
template <Game Base>
class RestrictedGame : public Base {
 public:
  using State = typename Base::State;

  // `ply`: of the position from which the limits count.
  RestrictedGame(const Base& game, int ply, std::vector<ActionLimit> limits)
      : Base(game), ply_(ply), limits_(std::move(limits)) {}

  void legal_actions(const State& state, const History& history, ActionMask& mask) const {
    Base::legal_actions(state, history, mask);
    if (!limits_.empty()) restrict(state, mask);
  }

  Action winning_action(const State& state) const requires requires(const Base& base) { base.winning_action(state); }
  {
    const Action action = Base::winning_action(state);
    if (limits_.empty() || action == kNoAction) return action;
    // A win outside the limits is none; another one within them is found by the search.
    for (const ActionLimit& limit : limits_) {
      if (holds(limit, state) && !limit.allowed.test(action)) return kNoAction;
    }
    return action;
  }

  // Nothing is known where limits still hold or may hold further on: what perfect play needs may be outside them.
  template <class Knowledge>
  auto known_value(const State& state, const History& history, Knowledge& knowledge, bool thorough) const requires
      requires(const Base& base) {
    base.known_value(state, history, knowledge, thorough);
  }
  {
    using Known = decltype(Base::known_value(state, history, knowledge, thorough));
    const int passed = Base::ply(state) - ply_;
    const bool free = std::ranges::all_of(limits_, [&](const ActionLimit& limit) { return passed >= limit.plies; });
    return free ? Base::known_value(state, history, knowledge, thorough) : Known{};
  }

 private:
  bool holds(const ActionLimit& limit, const State& state) const {
    return Base::ply(state) - ply_ < limit.plies && Base::player_to_move(state) == limit.seat;
  }

  void restrict(const State& state, ActionMask& mask) const {
    ActionMask left = mask;
    for (const ActionLimit& limit : limits_) {
      if (!holds(limit, state)) continue;
      for (int i = 0; i < ActionMask::kWords; ++i) left.word(i) &= limit.allowed.word(i);
    }
    if (!left.empty()) mask = left;
  }

  int ply_;
  std::vector<ActionLimit> limits_;
};

}  // namespace koridor
