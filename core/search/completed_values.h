// The Q-transform of Gumbel (Danihelka et al. 2022, section 4 and appendix D): values for the actions that no
// simulation has visited, and the policy that the values improve. All functions see one node from its mover's side;
// values are in [0, 1], 1 a sure win of the mover.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/search/softmax.h"
#include "core/search/tree.h"

namespace koridor {

// More visits than a search has.
inline constexpr float kNoVisitCap = 1e9f;

// What values weigh against priors: sigma(q) = (c_visit + n) * c_scale * q logits. In the paper n is max_b N(b), the
// most visits of an action. Growing like this, after some hundred visits only the best value counts, and an action
// whose first visits were unlucky is not tried again. So n is at most `visit_cap`.
struct ValueScale {
  float c_visit = 50.0f;
  float c_scale = 1.0f;
  float visit_cap = kNoVisitCap;

  // sigma(q) / q at one node, in logits.
  float factor(const EdgeView& edges) const {
    std::uint32_t most = 0;
    for (Slot slot = 0; slot < edges.visited; ++slot) most = std::max(most, edges.visits[slot]);
    return factor(most);
  }
  [[gnu::always_inline]] float factor(std::uint32_t most) const {
    return (c_visit + std::min(static_cast<float>(most), visit_cap)) * c_scale;
  }
};

// One node's values. Unvisited actions are given the value `mixed`,
//     v_mix = (v + sum_b N(b) * sum_b P(b) q(b) / sum_b P(b)) / (1 + sum_b N(b)),     b over the visited actions,
// v the network's own value, and a value q counts sigma(q) = scale * q logits.
struct CompletedValues {
  float mixed = 0.0f;
  float scale = 0.0f;
  float top = 0.0f;               // the largest value that any action has, for exponentials without overflow
  std::uint32_t simulations = 0;  // sum_b N(b)

  // exp(sigma(q) - sigma(top))
  [[gnu::always_inline]] float weight(float q) const { return exp_negative(scale * (q - top)); }
};

// Always inlined, as all of a selection is: where the compiler thinks its caller too large for that, the calls are a
// twentieth of a search.
[[gnu::always_inline]] inline CompletedValues completed_values(const Node& node, const EdgeView& edges,
                                                               const ValueScale& scale) {
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
  values.scale = scale.factor(most);
  values.top = std::max(top, values.mixed);
  values.simulations = sum;
  return values;
}

// What the improved policy is in proportion to at the visited edges: P(a) exp(sigma(q(a)) - sigma(top)), nothing for a
// lost one. A loop of its own, so that the compiler makes vector code of the exponentials.
inline void weigh_visited(const EdgeView& edges, const CompletedValues& values, float* __restrict weights) {
  const float* const prior = edges.prior;
  const float* const value = edges.value;
  const CompletedValues own = values;
  const int visited = edges.visited;
  for (Slot slot = 0; slot < visited; ++slot) {
    const float weight = prior[slot] * own.weight(value[slot]);
    weights[slot] = value[slot] == kLostEdge ? 0.0f : weight;
  }
}

// The improved policy pi' = softmax(logits + sigma(completed Q)) of one node; lost edges get nothing unless all are.
// `policy` has [edges] entries, in the order of the slots; where all are lost it becomes the prior.
inline void improved_policy(const Node& node, const EdgeView& edges, const ValueScale& scale, std::span<float> policy) {
  const CompletedValues values = completed_values(node, edges, scale);
  float total = 0.0f;
  weigh_visited(edges, values, policy.data());
  for (Slot slot = 0; slot < edges.visited; ++slot) total += policy[slot];
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

}  // namespace koridor
