// What a search says when it is done: the action to play, the policy to learn, the root's values, what it knows of each
// action and the line of play that it expects. Where proofs decide, they come first (proofs.h), and a proven loss is
// neither played nor learned while there is anything else; otherwise the rule chooses (rules.h).
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/exact.h"
#include "core/search/pace.h"
#include "core/search/proofs.h"
#include "core/search/rules.h"
#include "core/search/softmax.h"
#include "core/search/tree.h"

namespace koridor {

struct PolicyEntry {
  Action action;
  float probability;  // in [0, 1]; a policy's entries sum to 1
};

// What the search found out about one root action.
struct ActionStatistics {
  Action action = kNoAction;
  float prior = 0.0f;  // its share of the network's policy, without noise and without a temperature
  int visits = 0;
  float value = 0.0f;   // for the player to move at the root, mean of the visits, exact if proven; 0 if unvisited
  Values values{};      // the same for each player, seat order
  bool proven = false;  // value is what perfect play gives
  int plies = 0;        // if proven: plies to the end of the game, this action included
};

// A view of a tree and of the rule that searched it; the root must have its edges where nothing else is said.
class SearchReport {
 public:
  SearchReport(const Tree& tree, const SearchRules::Any& rule) : tree_(tree), rule_(rule) {}

  // The action to play: a proven win first (the quickest known), never a proven loss while there is something else, the
  // longest resistance where all lose. Otherwise the rule's best: PUCT's the most visits or the largest lower bound,
  // Gumbel's the survivor of sequential halving.
  Action best_action() const { return tree_.action(tree_.root(), best_slot()); }

  // That action, and how sure it is so far.
  ChoiceSoFar choice() const {
    const Node& root = tree_.root();
    int lost = 0;
    for (Slot slot = 0; slot < root.visited; ++slot) lost += tree_.lost(root, slot) ? 1 : 0;
    if (root.edges - lost <= 1) return {.best = best_action(), .lead = std::numeric_limits<double>::infinity()};
    ChoiceSoFar choice = std::visit([&](const auto& rule) { return rule.choice(tree_); }, rule_);
    choice.best = best_action();
    return choice;
  }

  // The action to play in self-play, drawn in proportion to the policy target to the power 1 / temperature. Where
  // best_action() is a draw already (Gumbel with exploration), it is best_action(). So it is at a decided root and at
  // temperature 0.
  Action sample_action(double temperature, Random& random) const {
    const Node& root = tree_.root();
    const bool drawn = std::visit([](const auto& rule) { return rule.draws(); }, rule_);
    if (decided(root) || temperature <= 0.0 || drawn) return best_action();
    std::array<float, ActionMask::kCapacity> storage;
    const std::span<float> weights(storage.data(), root.edges);
    root_policy(weights);
    const float top = *std::max_element(weights.begin(), weights.end());
    for (float& weight : weights) weight = std::pow(weight / top, inverse_temperature(temperature));
    return tree_.action(root, random.weighted(weights));
  }

  // What the network is to learn, sorted by action, sum 1, without zero entries: the rule's policy (PUCT: shares of
  // visits; Gumbel: softmax(logits + sigma(completed Q))). Proven losses get nothing; a decided root shares 1 equally
  // among the actions as good as best_action().
  void policy_target(std::vector<PolicyEntry>& out) const {
    const Node& root = tree_.root();
    std::array<float, ActionMask::kCapacity> storage;
    const std::span<float> policy(storage.data(), root.edges);
    root_policy(policy);
    out.clear();
    for (Slot slot = 0; slot < root.edges; ++slot) {
      if (policy[slot] > 0.0f) out.push_back({tree_.action(root, slot), policy[slot]});
    }
    std::sort(out.begin(), out.end(), [](const PolicyEntry& a, const PolicyEntry& b) { return a.action < b.action; });
  }

  // The Kullback-Leibler divergence of the policy target from the network's own policy, sum over the root's actions of
  // target * log(target / prior), in nats: how much the search changed the network's mind.
  double surprise() const {
    const Node& root = tree_.root();
    std::array<float, ActionMask::kCapacity> storage;
    const std::span<float> policy(storage.data(), root.edges);
    root_policy(policy);
    std::array<float, ActionMask::kCapacity> network;
    network_policy(std::span(network.data(), root.edges));
    double sum = 0.0;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      if (policy[slot] <= 0.0f) continue;
      sum += policy[slot] * std::log(policy[slot] / std::max(network[slot], kSmallestPrior));  // it can round to zero
    }
    return std::max(sum, 0.0);
  }

  // The root's values after the search, seat order; exact if proven, else the rule's (PUCT: the mean over its visits;
  // Gumbel: the mean weighted by the improved policy). A decided root's are the mean over the actions of the policy
  // target, which is exact for its mover.
  Values root_value() const {
    const Node& root = tree_.root();
    if (root.proven) return to_values(root.value);
    if (decided(root)) return value_of_best();
    return std::visit([&](const auto& rule) { return rule.root_value(tree_); }, rule_);
  }

  // Every root action, the most visited first; for display.
  std::vector<ActionStatistics> statistics() const {
    const Node& root = tree_.root();
    std::array<float, ActionMask::kCapacity> network;
    network_policy(std::span(network.data(), root.edges));
    std::vector<ActionStatistics> result;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      ActionStatistics& entry = result.emplace_back();
      entry.action = tree_.action(root, slot);
      entry.prior = network[slot];
      const NodeIndex child_index = tree_.child(root, slot);
      if (child_index == kNoNode) continue;
      const Node& child = tree_.node(child_index);
      entry.visits = static_cast<int>(child.visits);
      entry.value = static_cast<float>(child.value[root.mover]);
      entry.values = to_values(child.value);
      entry.proven = child.proven;
      entry.plies = child.proven ? child.plies + 1 : 0;
    }
    std::sort(result.begin(), result.end(), [](const ActionStatistics& a, const ActionStatistics& b) {
      if (a.visits != b.visits) return a.visits > b.visits;
      return a.prior != b.prior ? a.prior > b.prior : a.action < b.action;
    });
    return result;
  }

  // The line of play that the search expects: the best action at the root, then the best child of each node, proven
  // ones first, down to where nothing has been visited or the game is over. `position` is the root's; `out` is
  // overwritten, with nothing where the root has no edges yet. `knowledge` is that of the search, which proved the
  // nodes.
  template <Game G>
  void principal_variation(const G& game, Position<G> position, Knowledge<G>& knowledge,
                           std::vector<Action>& out) const {
    out.clear();
    if (tree_.root().expanded()) follow(game, std::move(position), best_slot(), knowledge, out);
  }
  // The same after `first`, one of the root's actions, with which the line begins.
  template <Game G>
  void principal_variation(const G& game, Position<G> position, Action first, Knowledge<G>& knowledge,
                           std::vector<Action>& out) const {
    out.clear();
    if (tree_.root().expanded()) {
      follow(game, std::move(position), tree_.find(tree_.root(), first), knowledge, out);
    }
  }

 private:
  // Adds the actions of the line that begins with `slot` of the root; nothing where that is negative.
  template <Game G>
  void follow(const G& game, Position<G> position, Slot slot, Knowledge<G>& knowledge, std::vector<Action>& out) const {
    const Node* node = &tree_.root();
    for (; slot >= 0; slot = best_inside(*node)) {
      out.push_back(tree_.action(*node, slot));
      position.apply(game, out.back());
      const NodeIndex child = tree_.child(*node, slot);
      if (child == kNoNode) return;
      node = &tree_.node(child);
    }
    if (node->proven) follow_known(game, std::move(position), knowledge, out);
  }

  // Adds what follows a position that was proven without a search, down to the end of the game; nothing of a draw,
  // which may take for ever.
  template <Game G>
  static void follow_known(const G& game, Position<G> position, Knowledge<G>& knowledge, std::vector<Action>& out) {
    while (!game.outcome(position.state, position.history).over()) {
      Action next = winning_action(game, position.state);
      if (next == kNoAction) next = known_action(game, position, knowledge);
      if (next == kNoAction) return;
      out.push_back(next);
      position.apply(game, next);
    }
  }

  // A best action in a position that is known to be won or lost; else kNoAction.
  template <Game G>
  static Action known_action(const G& game, const Position<G>& position, Knowledge<G>& knowledge) {
    const std::optional<KnownValue> value = known_value(game, position.state, position.history, knowledge, true);
    if (!value || value->values == Outcome::drawn(game.players()).values) return kNoAction;
    if (value->best != kNoAction) return value->best;
    History history = position.history;
    remember(game, position.state, history);
    ActionMask actions;
    game.legal_actions(position.state, position.history, actions);
    Action best = kNoAction;
    actions.for_each([&](Action action) {
      if (best != kNoAction) return;
      const std::optional<KnownValue> after = known_after(game, position, action, history, knowledge);
      if (after && after->values == value->values && after->plies + 1 == value->plies) best = action;
    });
    return best;
  }

  Slot best_slot() const {
    const Node& root = tree_.root();
    assert(root.expanded());
    if (decided(root)) return best_proven(tree_, root);
    return std::visit([&](const auto& rule) { return rule.best(tree_); }, rule_);
  }

  // root_value() of a decided root.
  Values value_of_best() const {
    const Node& root = tree_.root();
    std::array<float, ActionMask::kCapacity> policy;
    root_policy(std::span(policy.data(), root.edges));
    MeanValues values{};
    for (Slot slot = 0; slot < root.edges; ++slot) {
      const Node& child = tree_.node(tree_.child(root, slot));
      for (int player = 0; player < kMaxPlayers; ++player) values[player] += policy[slot] * child.value[player];
    }
    return to_values(values);
  }

  // The child of a node below the root that play is expected to go to; negative where none has been visited.
  Slot best_inside(const Node& node) const {
    if (node.visited == 0) return -1;
    if (decided(node)) return best_proven(tree_, node);
    const Slot slot = std::visit([&](const auto& rule) { return rule.best_inside(tree_, node); }, rule_);
    // Where all visited edges are lost it is one that was not visited.
    return slot < node.visited && tree_.edges(node).visits[slot] > 0 ? slot : -1;
  }

  // The network's policy at the root by slot, [edges]: without noise, and with its logits as they were.
  void network_policy(std::span<float> policy) const {
    const float factor = std::visit(
        [&](const auto& rule) {
          for (Slot slot = 0; slot < std::ssize(policy); ++slot) policy[slot] = rule.network_prior(tree_, slot);
          return rule.logit_factor();
        },
        rule_);
    if (factor == 1.0f) return;
    float sum = 0.0f;
    for (float& entry : policy) sum += entry = std::pow(entry, 1.0f / factor);
    for (float& entry : policy) entry /= sum;
  }

  // policy_target by slot, [edges].
  void root_policy(std::span<float> policy) const {
    if (decided(tree_.root())) {
      share_among_best(tree_, tree_.root(), policy);
    } else {
      std::visit([&](const auto& rule) { rule.policy(tree_, policy); }, rule_);
      const bool any = std::ranges::any_of(policy, [](float share) { return share > 0.0f; });
      if (!any) policy_before_visits(policy);
    }
  }

  // The network's policy at the root but for proven losses, of which not all are.
  void policy_before_visits(std::span<float> policy) const {
    network_policy(policy);
    float sum = 0.0f;
    for (Slot slot = 0; slot < std::ssize(policy); ++slot) {
      if (tree_.lost(tree_.root(), slot)) policy[slot] = 0.0f;
      sum += policy[slot];
    }
    for (float& share : policy) share /= sum;
  }

  const Tree& tree_;
  const SearchRules::Any& rule_;
};

}  // namespace koridor
