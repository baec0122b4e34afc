// Positions whose value needs no search: the game is over, its mover can end it with a win, or the game knows the value
// (known_value in core/game.h).
#pragma once

#include <array>
#include <optional>

#include "core/game.h"
#include "core/search/tree.h"

namespace koridor {

// What a search keeps of what its game has worked out.
template <Game G>
struct KnowledgeType {
  using Type = NoKnowledge;
};
template <Game G>
requires requires {
  typename G::Knowledge;
}
struct KnowledgeType<G> {
  using Type = typename G::Knowledge;
};
template <Game G>
using Knowledge = typename KnowledgeType<G>::Type;

// An action that wins for the mover at once; kNoAction where there is none or the game does not say.
template <Game G>
inline Action winning_action(const G& game, const typename G::State& state) {
  if constexpr (requires { game.winning_action(state); }) {
    return game.winning_action(state);
  } else {
    return kNoAction;
  }
}

// The value of a position that is not over; nothing where the game does not know it.
template <Game G>
inline std::optional<KnownValue> known_value(const G& game, const typename G::State& state, const History& history,
                                             Knowledge<G>& knowledge, bool thorough = false) {
  if constexpr (requires { game.known_value(state, history, knowledge, thorough); }) {
    return game.known_value(state, history, knowledge, thorough);
  } else {
    return std::nullopt;
  }
}

// The value of the position after an action, where it is known. `history` is that of `position` with that position.
template <Game G>
std::optional<KnownValue> known_after(const G& game, const Position<G>& position, Action action, const History& history,
                                      Knowledge<G>& knowledge) {
  typename G::State state = position.state;
  game.apply(state, action);
  const Outcome outcome = game.outcome(state, history);
  return outcome.over() ? KnownValue{outcome.values, 0} : known_value(game, state, history, knowledge, true);
}

// The value of a new leaf, where the rules give it.
template <Game G>
inline std::optional<KnownValue> value_of_leaf(const G& game, const typename G::State& state, const History& history,
                                               Knowledge<G>& knowledge) {
  const Outcome outcome = game.outcome(state, history);
  if (outcome.over()) return KnownValue{outcome.values, 0};
  if (winning_action(game, state) != kNoAction) {
    return KnownValue{Outcome::won_by(game.player_to_move(state)).values, 1};
  }
  return known_value(game, state, history, knowledge);
}

// Makes a proven child of the root, which counts one visit.
inline void visit_proven(Tree& tree, Action action, int mover, const Values& values, int plies) {
  const Slot slot = tree.add_child(Tree::kRoot, tree.find(tree.root(), action), mover);
  const NodeIndex child = static_cast<NodeIndex>(tree.size() - 1);
  tree.set_proven(child, values, plies);
  const std::array<PathStep, 1> path = {PathStep{Tree::kRoot, slot}};
  tree.backup(path, child, tree.node(child).value);
}

// Visits every action of a root whose value is known, as far as theirs are known and the tree has room, and a best one
// in any case. It visits no more than that where one stands for all, nor of a player who wins where the value is not
// exact: there may be many other actions then, and new things to work out for each.
template <Game G>
void visit_known(const G& game, const Position<G>& position, History& history, Knowledge<G>& knowledge, Tree& tree) {
  const std::optional<KnownValue> value = known_value(game, position.state, position.history, knowledge);
  if (!value) return;
  const int mover = game.player_to_move(position.state);
  const bool even = value->values[mover] > 0.0f && value->values[mover] < 1.0f;
  const bool one_is_enough = !value->exact && value->values[mover] >= 1.0f;
  history.truncate(position.history.size());
  remember(game, position.state, history);
  ActionMask actions;
  if (value->best != kNoAction) {
    actions.clear();
    actions.set(value->best);
  } else {
    game.legal_actions(position.state, position.history, actions);
  }
  bool found = false;
  actions.for_each([&](Action action) {
    if (found && (one_is_enough || tree.full())) return;
    const std::optional<KnownValue> after = known_after(game, position, action, history, knowledge);
    if (!after) return;
    const bool best =
        action == value->best || (after->values == value->values && (even || after->plies + 1 == value->plies));
    if (!best && (one_is_enough || tree.full())) return;
    found = found || best;
    typename G::State state = position.state;
    game.apply(state, action);
    visit_proven(tree, action, game.player_to_move(state), after->values, after->plies);
  });
  history.truncate(position.history.size());
  if (found) tree.set_proven(Tree::kRoot, value->values, value->plies);
}

// Proves the root, if its value needs no search, with the actions that show it. The root has its edges; one whose
// actions have been visited is searched on. `history` begins with the root's, and does so in the end.
template <Game G>
void prove_root(const G& game, const Position<G>& position, History& history, Knowledge<G>& knowledge, Tree& tree) {
  if (tree.root().proven) return;
  if (const Action win = winning_action(game, position.state); win != kNoAction) {
    const int mover = game.player_to_move(position.state);
    visit_proven(tree, win, mover, Outcome::won_by(mover).values, 0);
  } else if (tree.root().visited == 0) {
    visit_known(game, position, history, knowledge, tree);
  }
}

}  // namespace koridor
