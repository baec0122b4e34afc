// The choice among proven moves, which comes before every rule's own.
#pragma once

#include <algorithm>
#include <span>

#include "core/search/tree.h"

namespace koridor {

// Whether every move at a node leads to a proven position: then the choice is a matter of proofs alone, even where the
// node itself is not proven (more than two players).
inline bool decided(const Node& node) {
  return node.proven || (node.expanded() && node.proven_edges == node.edges);
}

// Whether `a` is the better proven child for `mover`: the higher own value, a win as quickly and anything else as
// slowly as possible.
inline bool better_proven(const Node& a, const Node& b, int mover) {
  if (a.value[mover] != b.value[mover]) return a.value[mover] > b.value[mover];
  return a.value[mover] >= 1.0 ? a.plies < b.plies : a.plies > b.plies;
}

// The best proven child of a decided node (of equals, the first).
inline Slot best_proven(const Tree& tree, const Node& node) {
  Slot best = -1;
  for (Slot slot = 0; slot < node.visited; ++slot) {
    const Node& child = tree.node(tree.child(node, slot));
    if (!child.proven) continue;
    if (best < 0 || better_proven(child, tree.node(tree.child(node, best)), node.mover)) best = slot;
  }
  return best;
}

// The policy target of a decided node: 1 shared equally among the moves as good as best_proven(). `policy` has [edges]
// entries, in the order of the slots.
inline void share_among_best(const Tree& tree, const Node& node, std::span<float> policy) {
  const Node& best = tree.node(tree.child(node, best_proven(tree, node)));
  std::fill(policy.begin(), policy.end(), 0.0f);
  int count = 0;
  for (Slot slot = 0; slot < node.visited; ++slot) {
    const Node& child = tree.node(tree.child(node, slot));
    if (!child.proven || child.value[node.mover] != best.value[node.mover] || child.plies != best.plies) continue;
    policy[slot] = 1.0f;
    ++count;
  }
  for (float& entry : policy) entry /= static_cast<float>(count);
}

}  // namespace koridor
