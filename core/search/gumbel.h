// The rule of Gumbel AlphaZero (Danihelka et al. 2022): sequential halving at the root among actions drawn by
// Gumbel-Top-k, inside the tree visits that follow the improved policy, which is also the policy target.
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
#include "core/search/completed_values.h"
#include "core/search/halving.h"
#include "core/search/pace.h"
#include "core/search/puct_selection.h"
#include "core/search/tree.h"
#include "core/search/visits.h"

namespace koridor {

struct GumbelConfig {
  int gumbel_considered = 16;
  float gumbel_c_visit = 50.0f;
  float gumbel_c_scale = 1.0f;
  float gumbel_visit_cap = kNoVisitCap;
  float gumbel_inside_c_puct = 0.0f;
};

inline void describe_settings(GumbelConfig& config, SettingList& list) {
  list.number("gumbel_considered", &config.gumbel_considered, 1, 1024,
              "gumbel: largest number of root actions that enter sequential halving, Danihelka et al. 2022");
  list.number("gumbel_c_visit", &config.gumbel_c_visit, 0, 1e4,
              "gumbel: Q-values are multiplied by (gumbel_c_visit + most visits of an action) * gumbel_c_scale, "
              "Danihelka et al. 2022");
  list.number("gumbel_c_scale", &config.gumbel_c_scale, 0, 100, "gumbel: see gumbel_c_visit");
  list.number("gumbel_visit_cap", &config.gumbel_visit_cap, 0, kNoVisitCap,
              "gumbel: at most so many visits count there, so that long searches go on trying several actions");
  list.number("gumbel_inside_c_puct", &config.gumbel_inside_c_puct, 0, 100,
              "gumbel: inside the tree PUCT chooses, with this factor of exploration, in place of the improved policy; "
              "0: the improved policy, Danihelka et al. 2022");
}

// At the root, begin_root() draws the actions to consider: those with the largest
//     g(a) + log P(a) + sigma(completed q(a)),
// g the noise; without kept visits all completed values are equal and this is Gumbel-Top-k. select_root() then serves
// simulation after simulation by the halving table: among the considered actions with the visits the table asks for,
// the one with the largest score with the values of the moment. A proven loss leaves; the best action not considered
// yet takes its place, and where nobody has the visits asked for, the next lower number counts.
//
// Sequential halving must know how many simulations there are. Where nobody does (a search limited by time or by a stop
// alone, or by more than four million visits), it goes in stages: a first of 64 simulations and each next of twice as
// many, up to 65,536. Where the time that is left is known, and is less than that of two such stages, the next one
// takes nearly all of it. Every stage is a sequential halving of its own: it draws its actions anew with the same noise
// and the values known by then. Its winner counts once its first phase is over, since all its actions have had visits
// then; before, that of the last stage does.
class Gumbel {
 public:
  static constexpr const char* kName = "gumbel";
  using Config = GumbelConfig;

  // Visits that play() kept improve the values; the budget is halved anew.
  static constexpr bool kKeptVisitsCount = false;

  Gumbel(const GumbelConfig& config, int num_actions)
      : considered_actions_(config.gumbel_considered),
        scale_{config.gumbel_c_visit, config.gumbel_c_scale, config.gumbel_visit_cap},
        inside_c_puct_(config.gumbel_inside_c_puct),
        noise_(static_cast<std::size_t>(num_actions)),
        base_(static_cast<std::size_t>(num_actions)),
        considered_(static_cast<std::size_t>(num_actions)) {
    candidates_.reserve(static_cast<std::size_t>(std::clamp(considered_actions_, 1, num_actions)) + 1);
  }

  // Sets aside room for the plan of this many simulations.
  void reserve(int visits) { table_.reserve(static_cast<std::size_t>(std::clamp(visits, 1, kLongestPlan))); }

  void root_changed() {}

  // Priors are the network's own (compare Puct).
  static constexpr float logit_factor() { return 1.0f; }

  void draw_noise(const ActionMask& actions, Random& random) {
    actions.for_each([&](Action action) { noise_[index(action)] = static_cast<float>(random.gumbel()); });
    explore_ = true;
  }
  void no_noise() {
    std::fill(noise_.begin(), noise_.end(), 0.0f);
    explore_ = false;
  }

  // The root has its edges, and a search of so many simulations begins (0: nobody knows how many).
  void begin_root(const Tree& tree, int simulations) {
    staged_ = simulations == 0 || simulations > kLongestPlan;
    last_winner_ = kNoAction;
    begin_halving(tree, staged_ ? kFirstStage : simulations);
  }

  void begin_halving(const Tree& tree, int simulations) {
    const Node& root = tree.root();
    for (Slot slot = 0; slot < root.edges; ++slot) {
      const int action = index(tree.action(root, slot));
      base_[action] = noise_[action] + std::log(tree.prior(root, slot));
      considered_[action] = 0;
    }
    candidates_.clear();
    simulation_ = 0;
    const int wanted = std::max(1, std::min(considered_actions_, simulations));
    const CompletedValues values = completed_values(root, tree.edges(root), scale_);
    while (static_cast<int>(candidates_.size()) < wanted && consider_next(tree, values)) {
    }
    first_phase_ = halving_table(std::max(1, static_cast<int>(candidates_.size())), simulations, table_);
  }

  // The prior of a root edge: the noise is kept beside it.
  float network_prior(const Tree& tree, Slot slot) const { return tree.prior(tree.root(), slot); }

  // The root edge of the next simulation. The candidates of a phase go side by side; negative where a phase or stage
  // begins, whose actions the simulations under way must choose first. `alone`: none is under way. left(): about how
  // many more simulations the search has time for, infinite where nobody knows.
  template <class Left>
  Slot select_root(const Tree& tree, bool alone, const Left& left) {
    if (!alone && begins_phase()) return -1;
    if (staged_ && simulation_ == table_.size()) begin_next_stage(tree, left());
    const Node& root = tree.root();
    bool all_visited = true;
    for (std::size_t i = 0; i < candidates_.size();) {
      const Slot slot = candidates_[i].slot = find(tree, candidates_[i]);
      if (tree.lost(root, slot)) {
        candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
        consider_next(tree, completed_values(root, tree.edges(root), scale_));
      } else {
        all_visited = all_visited && slot < root.visited;
        ++i;
      }
    }
    // The sums over all edges are for candidates without a value of their own: there are none after the first round.
    const EdgeView edges = tree.edges(root);
    const CompletedValues values =
        all_visited ? CompletedValues{.scale = scale_.factor(edges)} : completed_values(root, edges, scale_);
    chosen_ = best_candidate(tree, values, table_[std::min(simulation_, table_.size() - 1)]);
    return chosen_ == candidates_.size() ? select_lost(tree.edges(root)) : candidates_[chosen_].slot;
  }
  void simulated() {
    ++simulation_;
    if (chosen_ < candidates_.size()) ++candidates_[chosen_].visits;
  }

  // Inside the tree: the choice of PUCT where the settings give it a factor, else of the improved policy.
  [[gnu::always_inline]] Slot select(const Node& node, const EdgeView& edges) const {
    if (edges.visited == 0) return 0;
    if (inside_c_puct_ == 0.0f) return select_improved(node, edges);
    const float visits = static_cast<float>(node.visits + node.held);
    return select_puct(node, edges, inside_c_puct_ * std::sqrt(visits), kFpuReduction);
  }

  // The edge with the largest pi'(a) - N(a) / (1 + sum_b N(b)), so that visits follow the improved policy without
  // chance. The unvisited edges are summed in one step: they share a value, and their priors are what the visited ones
  // leave.
  [[gnu::always_inline]] Slot select_improved(const Node& node, const EdgeView& edges) const {
    const CompletedValues values = completed_values(node, edges, scale_);
    const bool all_visited = edges.visited == edges.edges;
    const float unvisited = all_visited ? 0.0f : values.weight(values.mixed);
    float weights[ActionMask::kCapacity];
    float total = unvisited * std::max(1.0f - node.visited_prior, 0.0f);
    // Not weigh_visited(): most nodes have fewer visited edges than a vector has lanes.
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

  float assumed_value(const Node& node, const EdgeView& edges) const {
    return completed_values(node, edges, scale_).mixed;
  }

  // What follows is asked of roots that proofs do not decide.

  // The survivor: the best of those with the most visits. Where all candidates are lost, the most visited edge. Before
  // the first simulation of a search that goes on with kept visits: the best of the edges that have at least half as
  // many of them as any, since the values of the others are hardly known.
  Slot best(const Tree& tree) const {
    if (simulation_ == 0 && last_winner_ == kNoAction && tree.root().visited > 0) return best_kept(tree);
    if (last_winner_ != kNoAction && simulation_ < first_phase_) {
      const Slot slot = tree.find(tree.root(), last_winner_);
      if (!tree.lost(tree.root(), slot)) return slot;
    }
    const CompletedValues values = completed_values(tree.root(), tree.edges(tree.root()), scale_);
    const std::size_t chosen = best_candidate(tree, values, std::numeric_limits<std::uint32_t>::max());
    return chosen == candidates_.size() ? most_visited(tree, tree.root()) : find(tree, candidates_[chosen]);
  }

  // How sure best() is: while a stage's first phase lasts, the last stage's winner stays.
  ChoiceSoFar choice([[maybe_unused]] const Tree& tree) const {
    if (last_winner_ == kNoAction || simulation_ >= first_phase_) return {};
    return {.lead = static_cast<double>(first_phase_ - simulation_)};
  }

  // Inside the tree visits follow the improved policy.
  static Slot best_inside(const Tree& tree, const Node& node) { return most_visited(tree, node); }

  // With noise, best() is a draw from the improved policy.
  bool draws() const { return explore_; }

  // The policy target, [edges] by slot: pi' = softmax(log P + sigma(completed Q)).
  void policy(const Tree& tree, std::span<float> policy) const {
    improved_policy(tree.root(), tree.edges(tree.root()), scale_, policy);
  }

  // The root's values after the search, seat order: the mean of the visited actions' values weighted by the improved
  // policy, since sequential halving gives half of the visits to actions it then drops.
  Values root_value(const Tree& tree) const {
    const Node& root = tree.root();
    if (root.visited == 0) return to_values(root.value);
    std::array<float, ActionMask::kCapacity> policy;
    improved_policy(root, tree.edges(root), scale_, std::span<float>(policy.data(), root.edges));
    MeanValues values{};
    double total = 0.0;
    for (Slot slot = 0; slot < root.visited; ++slot) {
      const Node& child = tree.node(tree.child(root, slot));
      if (child.visits == 0) continue;
      for (int player = 0; player < kMaxPlayers; ++player) values[player] += policy[slot] * child.value[player];
      total += policy[slot];
    }
    if (total <= 0.0) return to_values(root.value);
    for (double& value : values) value /= total;
    return to_values(values);
  }

  std::size_t memory_bytes() const {
    return candidates_.capacity() * sizeof(Candidate) + (noise_.capacity() + base_.capacity()) * sizeof(float) +
           considered_.capacity() + table_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr int kFirstStage = 64;
  static constexpr int kLongestStage = 1 << 16;
  static constexpr int kLongestPlan = 1 << 22;   // the table would be too large
  static constexpr double kOfWhatIsLeft = 0.95;  // the simulations to come may take longer

  struct Candidate {
    Action action;
    Slot slot;             // where the action's edge was when last looked for
    std::uint32_t visits;  // in this search
  };

  // Whether the next simulation is the first of a round that fewer actions take part in than in the round before.
  [[gnu::noinline]] bool begins_phase() const {
    if (simulation_ >= table_.size()) return true;
    if (simulation_ == 0 || table_[simulation_] == table_[simulation_ - 1]) return false;
    std::size_t begin = simulation_ - 1;
    while (begin > 0 && table_[begin - 1] == table_[begin]) --begin;
    const std::size_t size = simulation_ - begin;
    return simulation_ + size > table_.size() || table_[simulation_ + size - 1] != table_[simulation_];
  }

  [[gnu::noinline]] void begin_next_stage(const Tree& tree, double left) {
    last_winner_ = kNoAction;
    last_winner_ = tree.action(tree.root(), best(tree));
    int simulations = std::min(2 * static_cast<int>(table_.size()), kLongestStage);
    if (left < 2 * simulations) simulations = std::max(static_cast<int>(kOfWhatIsLeft * left), kFirstStage);
    begin_halving(tree, simulations);
  }

  // Edges change places as others are first visited, seldom those of candidates.
  static Slot find(const Tree& tree, const Candidate& candidate) {
    const Node& root = tree.root();
    return tree.action(root, candidate.slot) == candidate.action ? candidate.slot : tree.find(root, candidate.action);
  }

  float score(const Tree& tree, const CompletedValues& values, Slot slot) const {
    const Node& root = tree.root();
    const float q = slot < root.visited ? tree.edges(root).value[slot] : values.mixed;
    return base_[index(tree.action(root, slot))] + values.scale * q;
  }

  // Adds the best action not considered so far; false where there is none.
  bool consider_next(const Tree& tree, const CompletedValues& values) {
    const Node& root = tree.root();
    Slot chosen = -1;
    float top = 0.0f;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      if (considered_[index(tree.action(root, slot))] != 0 || tree.lost(root, slot)) continue;
      const float here = score(tree, values, slot);
      if (chosen >= 0 && here <= top) continue;
      chosen = slot;
      top = here;
    }
    if (chosen < 0) return false;
    const Action action = tree.action(root, chosen);
    considered_[index(action)] = 1;
    candidates_.push_back({action, chosen, 0});
    return true;
  }

  // Among the candidates that are not lost: those with the most visits not above `asked` (or, if none, the fewest),
  // and of these the best score. candidates_.size() where there is none.
  std::size_t best_candidate(const Tree& tree, const CompletedValues& values, std::uint32_t asked) const {
    std::size_t chosen = candidates_.size();
    float top = 0.0f;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::uint32_t visits = candidates_[i].visits;
      if (chosen < candidates_.size() && nearer(candidates_[chosen].visits, visits, asked)) continue;
      const Slot slot = find(tree, candidates_[i]);
      if (tree.lost(tree.root(), slot)) continue;
      const float here = score(tree, values, slot);
      if (chosen < candidates_.size() && candidates_[chosen].visits == visits && here <= top) continue;
      chosen = i;
      top = here;
    }
    return chosen;
  }

  Slot best_kept(const Tree& tree) const {
    const Node& root = tree.root();
    const EdgeView edges = tree.edges(root);
    const CompletedValues values = completed_values(root, edges, scale_);
    const Slot most = most_visited(tree, root);
    Slot chosen = most;
    for (Slot slot = 0; slot < root.visited; ++slot) {
      if (tree.lost(root, slot) || edges.visits[slot] < (edges.visits[most] + 1) / 2) continue;
      if (tree.lost(root, chosen) || score(tree, values, slot) > score(tree, values, chosen)) chosen = slot;
    }
    return chosen;
  }

  // Whether a number `a` of visits is nearer to the number asked than `b`.
  static bool nearer(std::uint32_t a, std::uint32_t b, std::uint32_t asked) {
    if ((a <= asked) != (b <= asked)) return a <= asked;
    return a <= asked ? a > b : a < b;
  }

  int considered_actions_;
  ValueScale scale_;
  float inside_c_puct_;  // 0: the improved policy chooses inside the tree
  std::vector<Candidate> candidates_;
  std::vector<float> noise_;              // [num_actions] by action, this search's; 0 where there is none
  std::vector<float> base_;               // [num_actions] by action: noise + log prior
  std::vector<std::uint8_t> considered_;  // [num_actions] by action: whether it is or was a candidate
  std::vector<std::uint32_t> table_;      // [simulations]
  std::size_t simulation_ = 0;            // of the table
  std::size_t chosen_ = 0;                // place among the candidates of the simulation's
  std::size_t first_phase_ = 0;           // the number of the table's simulations in its first phase
  bool staged_ = false;
  Action last_winner_ = kNoAction;  // of the stage before
  bool explore_ = false;
};

}  // namespace koridor
