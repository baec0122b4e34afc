// Selection rules inside the tree: given a node's edges, which one does the simulation follow? And the Q-transform of
// Gumbel. All functions see one node from its mover's side; values are in [0, 1], 1 a sure win of the mover.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/search/config.h"
#include "core/search/softmax.h"
#include "core/search/tree.h"

namespace koridor {

// AlphaZero's exploration factor for a node with so many visits: c(N) sqrt(N) (Silver et al. 2018, pseudocode).
inline float puct_exploration(const SearchConfig& config, std::uint32_t visits) {
  const float n = static_cast<float>(visits);
  return (config.c_puct + std::log((1.0f + n + config.c_puct_base) / config.c_puct_base)) * std::sqrt(n);
}

// First-play urgency: the value assumed of unvisited children, their parent's less a reduction that grows with the
// share of the policy already visited (as Leela Chess Zero and KataGo have it).
inline float first_play_urgency(const SearchConfig& config, const Node& node) {
  return node.own_value() - config.fpu_reduction * std::sqrt(node.visited_prior);
}

// Every edge is lost (and the node unproven, since it is unclear who wins): by prior and visits alone.
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

// PUCT: the edge with the largest Q(a) + c(N) P(a) sqrt(N) / (1 + N(a)), N the visits of the node.
// `exploration`: puct_exploration(config, node.visits).
inline Slot select_puct(const Node& node, const EdgeView& edges, const SearchConfig& config, float exploration) {
  Slot best = -1;
  float best_score = -std::numeric_limits<float>::infinity();
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    const float score =
        edges.value[slot] + exploration * edges.prior[slot] / (1.0f + static_cast<float>(edges.visits[slot]));
    if (score > best_score && edges.value[slot] != kLostEdge) {
      best_score = score;
      best = slot;
    }
  }
  if (edges.visited < edges.edges) {
    const float score = first_play_urgency(config, node) + exploration * edges.prior[edges.visited];
    if (best < 0 || score > best_score) best = edges.visited;
  }
  return best >= 0 ? best : select_lost(edges);
}

// The Q-transform of Gumbel (Danihelka et al. 2022, section 4 and appendix D) at one node: unvisited actions are given
// the value `mixed`,
//     v_mix = (v + sum_b N(b) * sum_b P(b) q(b) / sum_b P(b)) / (1 + sum_b N(b)),     b over the visited actions,
// v the network's own value, and a value counts sigma(q) = scale * q = (c_visit + max_b N(b)) * c_scale * q logits.
struct CompletedValues {
  float mixed = 0.0f;
  float scale = 0.0f;
  float top = 0.0f;               // the largest value that any action has, for exponentials without overflow
  std::uint32_t simulations = 0;  // sum_b N(b)

  // exp(sigma(q) - sigma(top))
  float weight(float q) const { return exp_negative(scale * (q - top)); }
};

inline CompletedValues completed_values(const Node& node, const EdgeView& edges, const SearchConfig& config) {
  std::uint32_t sum = 0, most = 0;
  float prior = 0.0f, weighted = 0.0f, top = 0.0f;
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    const float q = std::max(edges.value[slot], 0.0f);
    sum += edges.visits[slot];
    most = std::max(most, edges.visits[slot]);
    prior += edges.prior[slot];
    weighted += edges.prior[slot] * q;
    top = std::max(top, q);
  }
  CompletedValues values;
  const float n = static_cast<float>(sum);
  values.mixed = edges.visited == 0 ? node.estimate : (node.estimate + n * (weighted / prior)) / (1.0f + n);
  values.scale = (config.gumbel_c_visit + static_cast<float>(most)) * config.gumbel_c_scale;
  values.top = std::max(top, values.mixed);
  values.simulations = sum;
  return values;
}

// The improved policy pi' = softmax(logits + sigma(completed Q)) of one node; lost edges get nothing unless all are.
// `policy` has [edges] entries, in the order of the slots; where all are lost it becomes the prior.
inline void improved_policy(const Node& node, const EdgeView& edges, const SearchConfig& config,
                            std::span<float> policy) {
  const CompletedValues values = completed_values(node, edges, config);
  float total = 0.0f;
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    policy[slot] = edges.value[slot] == kLostEdge ? 0.0f : edges.prior[slot] * values.weight(edges.value[slot]);
    total += policy[slot];
  }
  const float unvisited = values.weight(values.mixed);
  for (Slot slot = edges.visited; slot < edges.edges; ++slot) {
    policy[slot] = edges.prior[slot] * unvisited;
    total += policy[slot];
  }
  if (total <= 0.0f) {
    std::copy_n(edges.prior, edges.edges, policy.begin());
    return;
  }
  for (Slot slot = 0; slot < edges.edges; ++slot) policy[slot] /= total;
}

// Gumbel inside the tree: the edge with the largest pi'(a) - N(a) / (1 + sum_b N(b)), so that visits follow the
// improved policy without chance. The unvisited edges are summed in one step: they share a value, and their priors
// are what the visited ones leave.
inline Slot select_gumbel(const Node& node, const EdgeView& edges, const SearchConfig& config) {
  if (edges.visited == 0) return 0;
  const CompletedValues values = completed_values(node, edges, config);
  const bool all_visited = edges.visited == edges.edges;
  const float unvisited = all_visited ? 0.0f : values.weight(values.mixed);
  float weights[ActionMask::kCapacity];
  float total = unvisited * std::max(1.0f - node.visited_prior, 0.0f);
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    weights[slot] = edges.value[slot] == kLostEdge ? 0.0f : edges.prior[slot] * values.weight(edges.value[slot]);
    total += weights[slot];
  }
  const float factor = total > 0.0f ? 1.0f / total : 0.0f;
  const float share = 1.0f / static_cast<float>(1 + values.simulations);
  Slot best = -1;
  float best_score = -std::numeric_limits<float>::infinity();
  for (Slot slot = 0; slot < edges.visited; ++slot) {
    const float score = weights[slot] * factor - static_cast<float>(edges.visits[slot]) * share;
    if (score > best_score && edges.value[slot] != kLostEdge) {
      best_score = score;
      best = slot;
    }
  }
  if (!all_visited) {
    const float score = unvisited * factor * edges.prior[edges.visited];
    if (best < 0 || score > best_score) best = edges.visited;
  }
  return best >= 0 ? best : select_lost(edges);
}

}  // namespace koridor
