// Positions whose value the rules alone give: the game is over, or its mover can end it with a win.
#pragma once

#include <array>

#include "core/game.h"
#include "core/search/tree.h"

namespace koridor {

// An action that wins for the mover at once; kNoAction where there is none or the game does not say.
template <Game G>
inline Action winning_action(const G& game, const typename G::State& state) {
  if constexpr (requires { game.winning_action(state); }) {
    return game.winning_action(state);
  } else {
    return kNoAction;
  }
}

// Proves a new leaf whose value the rules give.
template <Game G>
inline void prove_leaf(const G& game, const typename G::State& state, const History& history, Tree& tree,
                       NodeIndex leaf) {
  const Outcome outcome = game.outcome(state, history);
  if (outcome.over()) {
    tree.set_proven(leaf, outcome.values, 0);
  } else if (winning_action(game, state) != kNoAction) {
    tree.set_proven(leaf, Outcome::won_by(game.player_to_move(state)).values, 1);
  }
}

// Visits the root's action that wins at once, if there is one: the root is proven then. The root has its edges.
template <Game G>
inline void visit_win(const G& game, const typename G::State& state, Tree& tree) {
  const Action action = winning_action(game, state);
  if (action == kNoAction || tree.root().proven) return;
  const int mover = game.player_to_move(state);
  const Slot slot = tree.add_child(Tree::kRoot, tree.find(tree.root(), action), mover);
  const NodeIndex child = static_cast<NodeIndex>(tree.size() - 1);
  tree.set_proven(child, Outcome::won_by(mover).values, 0);
  const std::array<PathStep, 1> path = {PathStep{Tree::kRoot, slot}};
  tree.backup(path, child, tree.node(child).value);
}

}  // namespace koridor
