// The choice of PUCT at one node (Silver et al. 2018), for the rules that make it there: Puct everywhere, Gumbel inside
// the tree where its settings say so.
#pragma once

#include <cmath>
#include <limits>

#include "core/search/tree.h"
#include "core/search/visits.h"

namespace koridor {

// The reduction where nothing else is said.
inline constexpr float kFpuReduction = 0.2f;

// First-play urgency: the value assumed of unvisited children, their parent's less a reduction that grows with the
// share of the policy already visited (as Leela Chess Zero and KataGo have it).
inline float first_play_urgency(const Node& node, float reduction) {
  return node.own_value() - reduction * std::sqrt(node.visited_prior);
}

// The edge with the largest Q(a) + factor P(a) / (1 + N(a)), where Q of an unvisited one is its first-play urgency.
// `factor`: c(N) sqrt(N), N the visits of the node, virtual ones included.
[[gnu::always_inline]] inline Slot select_puct(const Node& node, const EdgeView& edges, float factor,
                                               float fpu_reduction) {
  Slot best = -1;
  float best_score = -std::numeric_limits<float>::infinity();
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    const float score =
        edges.value[slot] + factor * edges.prior[slot] / (1.0f + static_cast<float>(edges.visits[slot]));
    // Without a branch, which would often be mispredicted: a twentieth of a search with flat priors.
    const bool better = (score > best_score) & (edges.value[slot] != kLostEdge);
    best_score = better ? score : best_score;
    best = better ? slot : best;
  }
  if (edges.visited < edges.edges) {
    const float score = first_play_urgency(node, fpu_reduction) + factor * edges.prior[edges.visited];
    if (best < 0 || score > best_score) best = edges.visited;
  }
  return best >= 0 ? best : select_lost(edges);
}

}  // namespace koridor
