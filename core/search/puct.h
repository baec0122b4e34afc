// The rule of AlphaZero (Silver et al. 2018): PUCT everywhere, Dirichlet noise in the root's priors, the policy target
// by visits, the move by visits or by lower bounds of the values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/setting.h"
#include "core/search/pace.h"
#include "core/search/puct_selection.h"
#include "core/search/tree.h"
#include "core/search/visits.h"

namespace koridor {

struct PuctConfig {
  float c_puct = 1.25f;
  float c_puct_base = 19652.0f;
  float fpu_reduction = kFpuReduction;
  float policy_temperature = 1.0f;
  float lower_bound = 0.0f;
  float root_noise_fraction = 0.25f;
  float root_noise_total = 10.83f;
};

inline void describe_settings(PuctConfig& config, SettingList& list) {
  list.number("c_puct", &config.c_puct, 0, 100, "puct: factor of exploration at few visits; see c_puct_base");
  list.number("c_puct_base", &config.c_puct_base, 1, 1e9,
              "puct: visits at which exploration starts to grow with a node's visits N: c(N) = c_puct + log((1 + N + "
              "c_puct_base) / c_puct_base), Silver et al. 2018");
  list.number("fpu_reduction", &config.fpu_reduction, 0, 10,
              "puct: an unvisited action has its parent's value less this times sqrt(visited share of the policy), as "
              "in KataGo");
  list.number("policy_temperature", &config.policy_temperature, 0.1, 10,
              "puct: the network's logits are divided by it, so that above 1 priors are flatter, as in Leela Chess "
              "Zero; by algorithm = \"auto\" times the game's own");
  list.number("lower_bound", &config.lower_bound, 0, 10,
              "puct: the action that is played has the largest Q(a) - this / sqrt(N(a)) of those with an eighth of the "
              "most visits, as KataGo plays by lower confidence bounds; 0: the most visits");
  list.number("root_noise_fraction", &config.root_noise_fraction, 0, 1,
              "puct: share of Dirichlet noise in the root's priors, Silver et al. 2018");
  list.number("root_noise_total", &config.root_noise_total, 0.01, 1000,
              "puct: sum of the Dirichlet distribution's parameters, of which each legal action has an equal part");
}

class Puct {
 public:
  static constexpr const char* kName = "puct";
  using Config = PuctConfig;

  // Visits that play() kept may be part of the next search's budget (SearchLimits::count_kept).
  static constexpr bool kKeptVisitsCount = true;

  // `num_actions`: the game's.
  Puct(const PuctConfig& config, int num_actions)
      : config_(config),
        noise_(static_cast<std::size_t>(num_actions)),
        clean_prior_(static_cast<std::size_t>(num_actions)) {}

  // Tabulates the exploration factor for nodes of up to twice `visits` visits, since a root has kept ones besides. That
  // of a node with more is computed each time.
  void reserve(int visits) {
    const auto size = static_cast<std::size_t>(std::clamp(visits, 0, kMostTabulated / 2)) * 2 + 2;
    while (exploration_.size() < size) {
      exploration_.push_back(compute_exploration(static_cast<std::uint32_t>(exploration_.size())));
    }
  }

  // What the network's logits are multiplied by before the softmax that makes priors of them.
  float logit_factor() const { return 1.0f / config_.policy_temperature; }

  // Another position is the root now.
  void root_changed() { noised_ = false; }

  // A new search: draws noise for the root's legal actions, or says that there is none.
  void draw_noise(const ActionMask& actions, Random& random) {
    std::array<float, ActionMask::kCapacity> sample;
    const std::span<float> entries(sample.data(), static_cast<std::size_t>(actions.count()));
    random.dirichlet(config_.root_noise_total / static_cast<double>(entries.size()), entries);
    std::size_t next = 0;
    actions.for_each([&](Action action) { noise_[index(action)] = entries[next++]; });
    explore_ = true;
  }
  void no_noise() { explore_ = false; }

  // The root has its edges, and a search of so many simulations begins (0: nobody knows how many). The root's priors
  // become (1 - f) P(a) + f noise(a).
  void begin_root(Tree& tree, [[maybe_unused]] int simulations) {
    if (noised_) tree.set_priors(Tree::kRoot, [&](Action action, float) { return clean_prior_[index(action)]; });
    noised_ = explore_;
    if (!explore_) return;
    const float share = config_.root_noise_fraction;
    tree.set_priors(Tree::kRoot, [&](Action action, float prior) {
      clean_prior_[index(action)] = prior;
      return (1.0f - share) * prior + share * noise_[index(action)];
    });
  }

  // The prior of a root edge without the noise; of logits times logit_factor().
  float network_prior(const Tree& tree, Slot slot) const {
    const Node& root = tree.root();
    return noised_ ? clean_prior_[index(tree.action(root, slot))] : tree.prior(root, slot);
  }

  // The root edge of the next simulation; negative where the simulations under way must end first (never here).
  // `alone`: none is under way.
  template <class Left>
  Slot select_root(const Tree& tree, [[maybe_unused]] bool alone, const Left& /*left*/) const {
    return select(tree.root(), tree.edges(tree.root()));
  }
  // The simulation that select_root() was asked for takes place.
  void simulated() {}

  Slot select(const Node& node, const EdgeView& edges) const {
    return select_puct(node, edges, exploration(node.visits + node.held), config_.fpu_reduction);
  }

  // The value of an edge whose first visit waits for its evaluation.
  float assumed_value(const Node& node, [[maybe_unused]] const EdgeView& edges) const {
    return std::max(first_play_urgency(node, config_.fpu_reduction), 0.0f);
  }

  // What follows is asked of roots that proofs do not decide.

  // The most visited edge, or the one with the largest lower bound. With half a point a visit is taken for a result of
  // the worst spread, 0 or 1, and the bound lies one standard error of their mean below it.
  Slot best(const Tree& tree) const { return best_by_bound(tree, most_visited(tree, tree.root())); }

  // How sure best() is: the second most visited action must catch up. Not at all where another than the most visited
  // has the larger bound.
  ChoiceSoFar choice(const Tree& tree) const {
    const EdgeView edges = tree.edges(tree.root());
    const Slot often = most_visited(tree, tree.root());
    if (best_by_bound(tree, often) != often) return {.certainty = 0.0};
    std::uint32_t most = 0;
    std::uint32_t second = 0;
    for (Slot slot = 0; slot < edges.visited; ++slot) {
      if (edges.value[slot] == kLostEdge) continue;
      second = std::max(second, std::min(most, edges.visits[slot]));
      most = std::max(most, edges.visits[slot]);
    }
    const double lead = most - second;
    return {.lead = lead, .certainty = most > 0 ? lead / most : 0.0};
  }

  // The edge that play is expected to take at a node inside the tree.
  static Slot best_inside(const Tree& tree, const Node& node) { return most_visited(tree, node); }

  // Whether best() is a draw already, so that no temperature applies.
  bool draws() const { return false; }

  // The policy target, [edges] by slot: shares of the visits; proven losses get nothing. All are 0 where nothing else
  // was visited.
  void policy(const Tree& tree, std::span<float> policy) const {
    const EdgeView edges = tree.edges(tree.root());
    std::fill(policy.begin(), policy.end(), 0.0f);
    double total = 0.0;
    for (Slot slot = 0; slot < edges.visited; ++slot) {
      if (edges.value[slot] == kLostEdge) continue;
      policy[slot] = static_cast<float>(edges.visits[slot]);
      total += edges.visits[slot];
    }
    if (total == 0.0) return;
    for (float& entry : policy) entry = static_cast<float>(entry / total);
  }

  // The root's values after the search, seat order: the mean over its visits.
  Values root_value(const Tree& tree) const { return to_values(tree.root().value); }

  std::size_t memory_bytes() const {
    return (exploration_.capacity() + noise_.capacity() + clean_prior_.capacity()) * sizeof(float);
  }

 private:
  static constexpr int kMostTabulated = 1 << 16;
  static constexpr std::uint64_t kBoundedShare = 8;  // an action with fewer of the most visits has no bound

  // best(), where `most` is the most visited edge.
  Slot best_by_bound(const Tree& tree, Slot most) const {
    if (config_.lower_bound <= 0 || most >= tree.root().visited) return most;
    const EdgeView edges = tree.edges(tree.root());
    const std::uint64_t enough = edges.visits[most];
    Slot best = most;
    float best_bound = -std::numeric_limits<float>::infinity();
    for (Slot slot = 0; slot < edges.visited; ++slot) {
      if (edges.value[slot] == kLostEdge || edges.visits[slot] == 0 || kBoundedShare * edges.visits[slot] < enough)
        continue;
      const float bound = edges.value[slot] - config_.lower_bound / std::sqrt(static_cast<float>(edges.visits[slot]));
      if (bound > best_bound) {
        best = slot;
        best_bound = bound;
      }
    }
    return best;
  }

  // c(N) sqrt(N) (Silver et al. 2018, pseudocode).
  float compute_exploration(std::uint32_t visits) const {
    const float n = static_cast<float>(visits);
    return (config_.c_puct + std::log((1.0f + n + config_.c_puct_base) / config_.c_puct_base)) * std::sqrt(n);
  }
  float exploration(std::uint32_t visits) const {
    return visits < exploration_.size() ? exploration_[visits] : compute_exploration(visits);
  }

  PuctConfig config_;
  std::vector<float> exploration_;  // by a node's visits
  std::vector<float> noise_;        // [num_actions] by action, this search's
  std::vector<float> clean_prior_;  // [num_actions] by action: the root's priors while noise is mixed in
  bool explore_ = false;
  bool noised_ = false;  // the root's priors hold noise
};

}  // namespace koridor
