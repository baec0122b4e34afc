// One game's tree search, single-threaded, that hands out the positions it wants evaluated instead of evaluating them:
// a thread drives many searches and evaluates their leaves in one batch.
//
//   search.begin(limits, random);
//   while (search.step() == SearchStep::evaluate) { evaluate(search.leaf()); search.supply(prediction); }
//   Action action = search.best_action();
//   search.play(action);             // keeps the subtree below it
//
// Several leaves may wait at once (limits.pending), so that one tree fills a batch:
//
//   for (;;) {
//     const SearchStep step = search.step();
//     if (step == SearchStep::done) break;
//     if (step == SearchStep::evaluate) {
//       batch.add(search.leaf(), search.ticket());
//     } else {  // waiting: no further leaf can be handed out before a supply
//       evaluate(batch);
//       for (...) search.supply(ticket, prediction);
//     }
//   }
//
// What a search does at the root and inside the tree is its rule's (rules.h: puct.h, gumbel.h). What rules share is
// elsewhere: tree.h (arena, backup, proofs), proofs.h (the choice among proven moves).
//
// Values have one entry per player, in seat order; each player maximises its own, and the state tells who is to move.
// Finished games are exact and proofs go up from them: a position is proven when its mover has a move to a proven own
// win, or when all its moves are proven (tree.h). A proven root ends its search at once.
//
// Nothing is shared, and random numbers are drawn in begin() and sample_action() only, so that the same calls give the
// same search.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/config.h"
#include "core/search/leaves.h"
#include "core/search/limits.h"
#include "core/search/proofs.h"
#include "core/search/rules.h"
#include "core/search/tree.h"

namespace koridor {

// What the network says of a leaf, in the network's own order (the mover's view).
struct Prediction {
  std::span<const float> policy;  // [policy_size] logits
  std::span<const float> value;   // [players + 1] probabilities: i: the i-th player from the mover wins; last: draw
};

struct PolicyEntry {
  Action action;
  float probability;  // in [0, 1]; a policy's entries sum to 1
};

// What the search found out about one root action.
struct ActionStatistics {
  Action action = kNoAction;
  float prior = 0.0f;  // the network's, without noise
  int visits = 0;
  float value = 0.0f;   // for the player to move at the root, mean of the visits, exact if proven; 0 if unvisited
  bool proven = false;  // value is what perfect play gives
  int plies = 0;        // if proven: plies to the end of the game, this action included
};

enum class SearchStep : std::uint8_t {
  evaluate,  // the search wants a prediction for leaf()
  waiting,   // it goes on when a pending leaf is supplied; callers that supply each leaf before the next never see this
  done,
};

// Room for a search's tree. It grows as it must; what is set aside beforehand need not grow.
struct SearchRoom {
  // Sets aside room for searches of this many visits, and bounds what play() keeps to visits + 1 nodes: then a game
  // allocates nothing after the search was made. 0: room grows, and play() keeps everything.
  int visits = 0;
  // The tree has at most this many nodes (a win in one at the root may be one more); play() keeps at most half as many.
  // A search goes on in a full tree without new nodes: where it would add one, the simulation ends and counts the value
  // that the node there has once more, and no evaluation is asked for. 0: no limit.
  std::size_t nodes = 0;

  SearchRoom(int visits_ = 0, std::size_t nodes_ = 0) : visits(visits_), nodes(nodes_) {}
};

template <Game G>
class Search {
 public:
  using Step = SearchStep;

  // The game must outlive the search. Throws UserError where config.algorithm names no rule.
  explicit Search(const G& game, const SearchConfig& config, const SearchRoom& room = {})
      : game_(&game),
        most_kept_(most_kept(room)),
        tree_(reserved_nodes(room), edge_reserve(game, reserved_nodes(room))),
        other_tree_(reserved_nodes(room), edge_reserve(game, reserved_nodes(room))),
        rule_(SearchRules::make(config.algorithm, config, game.num_actions())),
        position_(game),
        leaves_(position_.state, static_cast<std::size_t>(game.max_plies()) + 2),
        history_(game.max_plies() + 1) {
    tree_.limit_nodes(room.nodes);
    other_tree_.limit_nodes(room.nodes);
    std::visit([&](auto& rule) { rule.reserve(room.visits); }, rule_);
    tree_.clear(game.player_to_move(position_.state));
  }
  Search(const G&& game, const SearchConfig& config, const SearchRoom& room = {}) = delete;

  // Forgets the tree; `position` is the new root.
  void reset(const Position<G>& position) {
    position_ = position;
    start_tree();
  }
  // The same with other rules from now on: a game of the same actions and board, such as with the repetition rule on.
  void reset(const G& game, const Position<G>& position) {
    game_ = &game;
    reset(position);
  }

  // Starts one search at the root, which must not be over. By the rule, visits kept from the last move count towards
  // limits.visits (PUCT; at least one simulation is done) or do not (Gumbel). The root's own evaluation, where it is
  // not kept, comes on top and is waited for whatever the limits. A root that is already proven needs no simulation.
  void begin(const SearchLimits& limits, Random& random) {
    assert(!game_->outcome(position_.state, position_.history).over());
    abandon_leaves();
    leaves_.set_most(std::clamp(limits.pending, 1, SearchLimits::kMostPending));
    several_ = limits.pending > 1;
    watch_.start(limits);
    std::visit([&](auto& rule) { begin_by(rule, limits, random); }, rule_);
  }

  // Runs simulations until one needs the network (evaluate: give leaf()'s prediction to supply(), under ticket() if
  // several leaves are pending), the search is over and all its leaves are supplied (done), or it cannot go on before
  // another supply (waiting).
  Step step() {
    return std::visit([&](auto& rule) { return step_by(rule); }, rule_);
  }

  // The position to evaluate after Step::evaluate, and what its rules need to know of the past; valid until step().
  const typename G::State& leaf() const { return leaf(ticket_); }
  const History& leaf_history() const { return history_; }
  // Names that leaf, in [0, limits.pending), until it is supplied.
  int ticket() const { return ticket_; }
  const typename G::State& leaf(int ticket) const { return leaves_.leaf(ticket).state; }

  // The prediction for leaf(): policy logits by game.policy_index(leaf, 0, action), values from its mover's view; a
  // draw counts for every player equally.
  void supply(const Prediction& prediction) { supply(ticket_, prediction); }
  // The same for any pending leaf; their order is free.
  void supply(int ticket, const Prediction& prediction) {
    Leaf& leaf = leaves_.leaf(ticket);
    const NodeIndex node = leaf.node;
    assert(node != kNoNode);
    tree_.expand(node, leaf.actions, [&](Action action) {
      return prediction.policy[static_cast<std::size_t>(game_->policy_index(leaf.state, 0, action))];
    });
    const int players = game_->players();
    const int mover = game_->player_to_move(leaf.state);
    const float draw = prediction.value[static_cast<std::size_t>(players)] / static_cast<float>(players);
    Values values{};
    for (int i = 0; i < players; ++i) {
      values[(mover + i) % players] = prediction.value[static_cast<std::size_t>(i)] + draw;
    }
    tree_.set_estimate(node, values[mover]);
    release(leaf);
    tree_.backup(leaf.path, node, to_mean(values));
    leaves_.take_back(ticket);
    if (node == Tree::kRoot) {
      std::visit([&](auto& rule) { prepare_root(rule); }, rule_);
    } else {
      ++simulations_;
    }
  }

  // The action to play, after done. A proven win first (the quickest known), never a proven loss while there is
  // something else, the longest resistance where all lose. Otherwise the rule's best: PUCT's the most visits, Gumbel's
  // the survivor of sequential halving.
  Action best_action() const { return tree_.action(tree_.root(), best_slot()); }

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
    for (float& weight : weights) weight = std::pow(weight / top, static_cast<float>(1.0 / temperature));
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

  // The root's values after the search, seat order; exact if proven, else the rule's (PUCT: the mean over its visits;
  // Gumbel: the mean weighted by the improved policy).
  Values root_value() const {
    const Node& root = tree_.root();
    if (root.proven) return to_values(root.value);
    return std::visit([&](const auto& rule) { return rule.root_value(tree_); }, rule_);
  }

  // Whether the root's value and best action are certain.
  bool proven() const { return tree_.root().proven; }
  // Simulations done since begin(), the root's own evaluation not counted.
  int simulations() const { return simulations_; }
  // Simulations below the root, kept ones included (not its own evaluation).
  int root_visits() const { return std::max(static_cast<int>(tree_.root().visits) - 1, 0); }

  // Every root action, the most visited first; for display.
  std::vector<ActionStatistics> statistics() const {
    const Node& root = tree_.root();
    std::vector<ActionStatistics> result;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      ActionStatistics& entry = result.emplace_back();
      entry.action = tree_.action(root, slot);
      entry.prior = std::visit([&](const auto& rule) { return rule.network_prior(tree_, slot); }, rule_);
      const NodeIndex child_index = tree_.child(root, slot);
      if (child_index == kNoNode) continue;
      const Node& child = tree_.node(child_index);
      entry.visits = static_cast<int>(child.visits);
      entry.value = static_cast<float>(child.value[root.mover]);
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
  // ones first, down to where nothing has been visited or the game is over. `out` is overwritten.
  void principal_variation(std::vector<Action>& out) const {
    out.clear();
    if (!tree_.root().expanded()) return;
    Position<G> position = position_;
    const Node* node = &tree_.root();
    for (Slot slot = best_slot(); slot >= 0; slot = best_inside(*node)) {
      out.push_back(tree_.action(*node, slot));
      position.apply(*game_, out.back());
      const NodeIndex child = tree_.child(*node, slot);
      if (child == kNoNode) return;
      node = &tree_.node(child);
    }
    // A win in one is proven without a look at what follows.
    const Action win = node->proven && node->plies == 1 ? winning_action(position.state) : kNoAction;
    if (win != kNoAction) out.push_back(win);
  }

  // Plays an action at the root, searched or not. The subtree below it is kept as far as it has room (SearchRoom): the
  // deepest nodes go first.
  void play(Action action) {
    abandon_leaves();
    const Slot slot = tree_.find(tree_.root(), action);
    const NodeIndex child = slot < 0 ? kNoNode : tree_.child(tree_.root(), slot);
    position_.apply(*game_, action);
    if (child != kNoNode) {
      other_tree_.keep(tree_, child, most_kept_);
      if (other_tree_.root().expanded()) {
        std::swap(tree_, other_tree_);
        history_ = position_.history;
        std::visit([](auto& rule) { rule.root_changed(); }, rule_);
        return;
      }
    }
    start_tree();
  }

  const Position<G>& position() const { return position_; }
  const Tree& tree() const { return tree_; }

  std::size_t memory_bytes() const {
    return sizeof(*this) + tree_.memory_bytes() + other_tree_.memory_bytes() +
           std::visit([](const auto& rule) { return rule.memory_bytes(); }, rule_) + leaves_.memory_bytes() +
           2 * static_cast<std::size_t>(game_->max_plies() + 1) * sizeof(std::uint64_t);
  }

 private:
  using Leaf = PendingLeaf<typename G::State>;
  static constexpr int kReservedEndless = 1 << 16;
  static constexpr int kEndless = std::numeric_limits<int>::max();
  static constexpr std::size_t kMostReservedEdges = std::size_t{4} << 20;

  static std::size_t most_kept(const SearchRoom& room) {
    const std::size_t by_visits = room.visits > 0 ? static_cast<std::size_t>(room.visits) + 1 : kNoNode;
    return room.nodes > 0 ? std::min(by_visits, std::max<std::size_t>(room.nodes / 2, 1)) : by_visits;
  }
  static std::size_t reserved_nodes(const SearchRoom& room) {
    const std::size_t by_visits = room.visits > 0 ? 2 * (static_cast<std::size_t>(room.visits) + 1) : 0;
    return room.nodes > 0 ? std::min(by_visits, room.nodes + 1) : by_visits;
  }

  // Room for as many edges at each node as the first position has. Memory that is never written costs nothing.
  static std::size_t edge_reserve(const G& game, std::size_t nodes) {
    const Position<G> start(game);
    ActionMask actions;
    game.legal_actions(start.state, start.history, actions);
    return std::min(nodes * static_cast<std::size_t>(actions.count()), kMostReservedEdges);
  }

  void start_tree() {
    tree_.clear(game_->player_to_move(position_.state));
    history_ = position_.history;
    leaves_.forget();
    crowd_ = 0;
    std::visit([](auto& rule) { rule.root_changed(); }, rule_);
  }

  // Predictions that have not come are not waited for any more.
  void abandon_leaves() {
    leaves_.for_each([&](Leaf& leaf) { release(leaf); });
    leaves_.forget();
  }

  template <class Rule>
  void begin_by(Rule& rule, const SearchLimits& limits, Random& random) {
    const int visits = std::max(limits.visits, 1);
    planned_ = Rule::kKeptVisitsCount ? std::max(visits - root_visits(), 1) : visits;
    if (limits.endless()) planned_ = kEndless;
    rule.reserve(limits.endless() ? kReservedEndless : visits);
    simulations_ = 0;
    if (limits.explore) {
      ActionMask actions;
      game_->legal_actions(position_.state, position_.history, actions);
      rule.draw_noise(actions, random);
    } else {
      rule.no_noise();
    }
    if (tree_.root().expanded()) prepare_root(rule);
  }

  template <class Rule>
  Step step_by(Rule& rule) {
    while (wants_simulation()) {
      if (leaves_.full()) return Step::waiting;
      switch (descend(rule)) {
        case Descent::complete:
          rule.simulated();
          ++simulations_;
          break;
        case Descent::leaf:
          hand_out(rule);
          return Step::evaluate;
        case Descent::collision:
          if (!crowd(Rule::kVisitsSteerRoot)) return Step::waiting;
          break;
        case Descent::must_wait:
          return Step::waiting;
      }
    }
    return leaves_.count() == 0 ? Step::done : Step::waiting;
  }

  bool wants_simulation() {
    if (!tree_.root().expanded()) return true;
    return simulations_ + leaves_.count() < planned_ && !tree_.root().proven && !watch_.over();
  }

  template <class Rule>
  void hand_out(Rule& rule) {
    ticket_ = leaves_.hand_out();
    Leaf& leaf = leaves_.leaf(ticket_);
    if (leaf.node != Tree::kRoot) rule.simulated();
    if (several_) hold(leaf);
  }

  [[gnu::noinline]] void hold(Leaf& leaf) {
    tree_.hold(leaf.path, leaf.node);
    ++leaf.held;
  }

  // A simulation came to a leaf that is pending already. The leaf holds one more virtual visit, so that the next
  // simulation may go elsewhere. False where it would not, or where this has happened often enough.
  [[gnu::noinline]] bool crowd(bool visits_steer_root) {
    const std::size_t steps = leaves_.next().path.size();
    if (steps == 0 || (steps == 1 && !visits_steer_root) || crowd_ >= leaves_.most()) return false;
    leaves_.for_each([&](Leaf& leaf) {
      if (leaf.node != met_) return;
      hold(leaf);
      ++crowd_;
    });
    return true;
  }

  void release(Leaf& leaf) {
    if (leaf.held == 0) return;
    tree_.release(leaf.path, leaf.node, leaf.held);
    crowd_ -= leaf.held - 1;
    leaf.held = 0;
  }

  enum class Descent : std::uint8_t {
    complete,   // came to a proven node, or the tree is full: the simulation is done
    leaf,       // came to a node that must be evaluated: leaves_.next()
    collision,  // came to a pending leaf: no simulation
    must_wait,  // the rule wants the pending leaves' values first: no simulation
  };

  // Follows the selection rule to a node that is not expanded or is proven.
  template <class Rule>
  Descent descend(Rule& rule) {
    Leaf& leaf = leaves_.next();
    leaf.path.clear();
    leaf.state = position_.state;
    history_.truncate(position_.history.size());
    NodeIndex current = Tree::kRoot;
    for (;;) {
      const Node& node = tree_.node(current);
      if (node.proven && current != Tree::kRoot) {
        tree_.backup(leaf.path, current, node.value);
        return Descent::complete;
      }
      if (!node.expanded()) {
        if (node.held > 0) {
          met_ = current;
          return Descent::collision;
        }
        game_->legal_actions(leaf.state, history_, leaf.actions);
        leaf.node = current;
        return Descent::leaf;
      }
      Slot slot =
          current == Tree::kRoot ? rule.select_root(tree_, leaves_.count() == 0) : rule.select(node, tree_.edges(node));
      if (slot < 0) return Descent::must_wait;
      NodeIndex child = tree_.child(node, slot);
      remember(*game_, leaf.state, history_);
      game_->apply(leaf.state, tree_.action(node, slot));
      if (child == kNoNode) {
        if (tree_.full()) {
          tree_.backup(leaf.path, current, tree_.node(current).value);
          return Descent::complete;
        }
        const float assumed = several_ ? assumed_value(rule, node) : 0.0f;
        slot = tree_.add_child(current, slot, game_->player_to_move(leaf.state), assumed);
        child = static_cast<NodeIndex>(tree_.size() - 1);
        prove_leaf(child, leaf.state);
      }
      leaf.path.push_back({current, slot});
      current = child;
    }
  }

  // Not inlined: a search with one leaf at a time never gets here and must not be slowed down by it.
  template <class Rule>
  [[gnu::noinline]] float assumed_value(const Rule& rule, const Node& node) const {
    return rule.assumed_value(node, tree_.edges(node));
  }

  // A new node: is the game over, or can the mover win at once?
  void prove_leaf(NodeIndex leaf, const typename G::State& state) {
    const Outcome outcome = game_->outcome(state, history_);
    if (outcome.over()) {
      tree_.set_proven(leaf, outcome.values, 0);
    } else if (winning_action(state) != kNoAction) {
      tree_.set_proven(leaf, Outcome::won_by(game_->player_to_move(state)).values, 1);
    }
  }

  Action winning_action(const typename G::State& state) const {
    if constexpr (requires { game_->winning_action(state); }) {
      return game_->winning_action(state);
    } else {
      return kNoAction;
    }
  }

  // Visits the root's action that wins at once, if there is one: the root is proven then.
  void visit_win() {
    const Action action = winning_action(position_.state);
    if (action == kNoAction || tree_.root().proven) return;
    const int mover = game_->player_to_move(position_.state);
    const Slot slot = tree_.add_child(Tree::kRoot, tree_.find(tree_.root(), action), mover);
    const NodeIndex child = static_cast<NodeIndex>(tree_.size() - 1);
    tree_.set_proven(child, Outcome::won_by(mover).values, 0);
    const std::array<PathStep, 1> path = {PathStep{Tree::kRoot, slot}};
    tree_.backup(path, child, tree_.node(child).value);
  }

  // The root has its edges: plays a win in one, or lets the rule prepare it.
  template <class Rule>
  void prepare_root(Rule& rule) {
    visit_win();
    if (!tree_.root().proven) rule.begin_root(tree_, planned_ == kEndless ? 0 : planned_);
  }

  Slot best_slot() const {
    const Node& root = tree_.root();
    assert(root.expanded());
    if (decided(root)) return best_proven(tree_, root);
    return std::visit([&](const auto& rule) { return rule.best(tree_); }, rule_);
  }

  // The child of a node below the root that play is expected to go to; negative where none has been visited.
  Slot best_inside(const Node& node) const {
    if (node.visited == 0) return -1;
    if (decided(node)) return best_proven(tree_, node);
    const Slot slot = std::visit([&](const auto& rule) { return rule.best_inside(tree_, node); }, rule_);
    return tree_.edges(node).visits[slot] > 0 ? slot : -1;
  }

  // policy_target by slot, [edges].
  void root_policy(std::span<float> policy) const {
    if (decided(tree_.root())) {
      share_among_best(tree_, tree_.root(), policy);
    } else {
      std::visit([&](const auto& rule) { rule.policy(tree_, policy); }, rule_);
    }
  }

  const G* game_;
  std::size_t most_kept_;  // nodes, by play()
  Tree tree_;
  Tree other_tree_;  // where play() copies what it keeps
  SearchRules::Any rule_;
  Position<G> position_;
  PendingLeaves<typename G::State> leaves_;
  History history_;          // the root's, and on the way down the path's
  int ticket_ = 0;           // of the leaf handed out last
  bool several_ = false;     // leaves may be pending at once: they hold virtual visits
  NodeIndex met_ = kNoNode;  // the pending leaf that the last descent came to
  int crowd_ = 0;            // virtual visits beyond one of each pending leaf
  SearchWatch watch_;
  int planned_ = 0;      // simulations of this search
  int simulations_ = 0;  // of this search, done
};

// Runs one search from begin to end with `evaluate(state) -> Prediction`; for tests and tools.
template <Game G, class Evaluate>
void run_search(Search<G>& search, const SearchLimits& limits, Random& random, Evaluate&& evaluate) {
  search.begin(limits, random);
  while (search.step() == SearchStep::evaluate) search.supply(evaluate(search.leaf()));
}

}  // namespace koridor
