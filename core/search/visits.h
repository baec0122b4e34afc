// Choices by visits and priors alone, which every rule needs where its own measure says nothing.
#pragma once

#include <cstdint>

#include "core/search/tree.h"

namespace koridor {

// The edge to follow where every edge is lost (and the node unproven, since it is unclear who wins): the largest
// P(a) / (1 + N(a)).
inline Slot select_lost(const EdgeView& edges) {
  Slot best = 0;
  float best_score = -1.0f;
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    const float score = edges.prior[slot] / static_cast<float>(1 + edges.visits[slot]);
    if (score > best_score) {
      best_score = score;
      best = slot;
    }
  }
  return best;
}

// The edge with the most visits (of equals the higher value, then the first) that is not lost; where nothing is
// visited, the one with the highest prior.
inline Slot most_visited(const Tree& tree, const Node& node) {
  const EdgeView edges = tree.edges(node);
  Slot best = node.visited < node.edges ? node.visited : 0;
  std::uint32_t most = 0;
  float value = 0.0f;
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    if (edges.value[slot] == kLostEdge || edges.visits[slot] < most) continue;
    if (edges.visits[slot] == most && edges.value[slot] <= value) continue;
    best = slot;
    most = edges.visits[slot];
    value = edges.value[slot];
  }
  return best;
}

}  // namespace koridor
