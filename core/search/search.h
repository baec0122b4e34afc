// One game's tree search, single-threaded, that hands out the positions it wants evaluated instead of evaluating them:
// a thread drives many searches and evaluates their leaves in one batch.
//
//   search.begin(budget, random);
//   while (search.step() == SearchStep::evaluate) { evaluate(search.leaf()); search.supply(prediction); }
//   Action action = search.best_action();
//   search.play(action);             // keeps the subtree below it
//
// The parts are separate: tree.h (arena, backup, proofs), select.h (PUCT and Gumbel selection), root.h (sequential
// halving, choice among proofs). PUCT and Gumbel are two compositions of them.
//
// Values have one entry a player, in seat order; each player maximises its own, and who is to move is asked of the
// state. Finished games are exact and proofs go up from them: a position is proven when its mover has a move to a
// proven own win, or when all its moves are proven (tree.h). A proven root ends its search at once.
//
// Nothing is shared, random numbers are drawn in begin() (and sample_action()) only, and the same calls give the same
// search.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/config.h"
#include "core/search/root.h"
#include "core/search/select.h"
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

enum class SearchStep : std::uint8_t { evaluate, done };

template <Game G>
class Search {
 public:
  using Step = SearchStep;

  // max_visits: the largest budget that will be used (a larger one works, but allocates). The game must outlive the
  // search.
  Search(const G& game, const SearchConfig& config, int max_visits)
      : game_(&game),
        config_(config),
        node_limit_(static_cast<std::size_t>(std::max(max_visits, 1)) + 1),
        tree_(2 * node_limit_, edge_reserve(game, 2 * node_limit_)),
        other_tree_(2 * node_limit_, edge_reserve(game, 2 * node_limit_)),
        halving_(game.num_actions(), config.gumbel_considered, std::max(max_visits, 1)),
        position_(game),
        leaf_(position_.state),
        history_(game.max_plies() + 1),
        noise_(static_cast<std::size_t>(game.num_actions())),
        clean_prior_(static_cast<std::size_t>(game.num_actions())) {
    path_.reserve(static_cast<std::size_t>(game.max_plies()) + 2);
    if (!gumbel()) {
      for (std::size_t n = 0; n <= node_limit_; ++n) {
        exploration_.push_back(puct_exploration(config, static_cast<std::uint32_t>(n)));
      }
    }
    tree_.clear(game.player_to_move(position_.state));
  }
  Search(const G&& game, const SearchConfig& config, int max_visits) = delete;

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

  // Starts one search at the root, which must not be over. PUCT: visits kept from the last move count towards the
  // budget, and at least one simulation is done; Gumbel: they do not. The root's own evaluation, where it is not kept,
  // comes on top of the budget. A root that is already proven needs no simulation.
  void begin(const SearchBudget& budget, Random& random) {
    assert(!game_->outcome(position_.state, position_.history).over());
    explore_ = budget.explore;
    const int visits = std::max(budget.visits, 1);
    simulations_left_ = gumbel() ? visits : std::max(visits - root_visits(), 1);
    simulations_ = simulations_left_;
    pending_ = kNoNode;
    draw_noise(random);
    if (tree_.root().expanded()) prepare_root();
  }

  // Runs simulations until one needs the network (evaluate: give leaf()'s prediction to supply()) or the search is
  // over (done).
  Step step() {
    assert(pending_ == kNoNode);
    while (!tree_.root().expanded() || (simulations_left_ > 0 && !tree_.root().proven)) {
      if (descend()) return Step::evaluate;
    }
    return Step::done;
  }

  // The position to evaluate after Step::evaluate, and what its rules need to know of the past.
  const typename G::State& leaf() const { return leaf_; }
  const History& leaf_history() const { return history_; }

  // The prediction for leaf(): policy logits by game.policy_index(leaf, 0, action), values from its mover's view; a
  // draw counts for every player equally.
  void supply(const Prediction& prediction) {
    assert(pending_ != kNoNode);
    tree_.expand(pending_, leaf_actions_, [&](Action action) {
      return prediction.policy[static_cast<std::size_t>(game_->policy_index(leaf_, 0, action))];
    });
    const int players = game_->players();
    const int mover = game_->player_to_move(leaf_);
    const float draw = prediction.value[static_cast<std::size_t>(players)] / static_cast<float>(players);
    Values values{};
    for (int i = 0; i < players; ++i) {
      values[(mover + i) % players] = prediction.value[static_cast<std::size_t>(i)] + draw;
    }
    tree_.set_estimate(pending_, values[mover]);
    tree_.backup(path_, pending_, to_mean(values));
    if (pending_ == Tree::kRoot) {
      prepare_root();
    } else {
      --simulations_left_;
    }
    pending_ = kNoNode;
  }

  // The action to play, after done. A proven win first (the quickest known), never a proven loss while there is
  // something else, the longest resistance where all lose. Otherwise PUCT: the most visits; Gumbel: the survivor of
  // sequential halving.
  Action best_action() const { return tree_.action(tree_.root(), best_slot()); }

  // The action to play in self-play, drawn in proportion to visits^(1 / temperature) (PUCT) or the improved policy to
  // that power (Gumbel). Gumbel with exploration is best_action(): its noise at the root has drawn already. So is a
  // decided root, and temperature 0.
  Action sample_action(double temperature, Random& random) const {
    const Node& root = tree_.root();
    if (decided(root) || temperature <= 0.0 || (gumbel() && explore_)) return best_action();
    std::array<float, ActionMask::kCapacity> storage;
    const std::span<float> weights(storage.data(), root.edges);
    root_policy(weights);
    const float top = *std::max_element(weights.begin(), weights.end());
    for (float& weight : weights) weight = std::pow(weight / top, static_cast<float>(1.0 / temperature));
    return tree_.action(root, random.weighted(weights));
  }

  // What the network is to learn, sorted by action, sum 1, without zero entries. PUCT: shares of visits; Gumbel: the
  // improved policy softmax(logits + sigma(completed Q)). Proven losses get nothing; a decided root shares 1 equally
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

  // The root's values after the search, seat order; exact if proven. PUCT: the mean over its visits. Gumbel: the mean
  // of the visited actions' values weighted by the improved policy, since sequential halving gives half of the visits
  // to actions it then drops.
  Values root_value() const {
    const Node& root = tree_.root();
    if (root.proven || !gumbel() || root.visited == 0) return to_values(root.value);
    std::array<float, ActionMask::kCapacity> policy;
    improved_policy(root, tree_.edges(root), config_, std::span<float>(policy.data(), root.edges));
    MeanValues values{};
    double total = 0.0;
    for (Slot slot = 0; slot < root.visited; ++slot) {
      const MeanValues& child = tree_.node(tree_.child(root, slot)).value;
      for (int player = 0; player < kMaxPlayers; ++player) values[player] += policy[slot] * child[player];
      total += policy[slot];
    }
    if (total <= 0.0) return to_values(root.value);
    for (double& value : values) value /= total;
    return to_values(values);
  }

  // Whether the root's value and best action are certain.
  bool proven() const { return tree_.root().proven; }
  // Simulations done since begin(), the root's own evaluation not counted.
  int simulations() const { return simulations_ - simulations_left_; }
  // Simulations below the root, kept ones included (not its own evaluation).
  int root_visits() const { return std::max(static_cast<int>(tree_.root().visits) - 1, 0); }

  // Every root action, the most visited first; for display.
  std::vector<ActionStatistics> statistics() const {
    const Node& root = tree_.root();
    std::vector<ActionStatistics> result;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      ActionStatistics& entry = result.emplace_back();
      entry.action = tree_.action(root, slot);
      entry.prior = noised_ ? clean_prior_[index(entry.action)] : tree_.prior(root, slot);
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

  // Plays an action at the root, searched or not. The subtree below it is kept as far as it has room: at most
  // max_visits nodes, the deepest go first.
  void play(Action action) {
    const Slot slot = tree_.find(tree_.root(), action);
    const NodeIndex child = slot < 0 ? kNoNode : tree_.child(tree_.root(), slot);
    position_.apply(*game_, action);
    if (child != kNoNode) {
      other_tree_.keep(tree_, child, node_limit_);
      if (other_tree_.root().expanded()) {
        std::swap(tree_, other_tree_);
        history_ = position_.history;
        noised_ = false;
        return;
      }
    }
    start_tree();
  }

  const Position<G>& position() const { return position_; }
  const Tree& tree() const { return tree_; }

  std::size_t memory_bytes() const {
    return sizeof(*this) + tree_.memory_bytes() + other_tree_.memory_bytes() + halving_.memory_bytes() +
           path_.capacity() * sizeof(PathStep) +
           (exploration_.capacity() + noise_.capacity() + clean_prior_.capacity()) * sizeof(float) +
           2 * static_cast<std::size_t>(game_->max_plies() + 1) * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::size_t kMostReservedEdges = std::size_t{4} << 20;

  // Room for as many edges at each node as the first position has. Memory that is never written costs nothing.
  static std::size_t edge_reserve(const G& game, std::size_t nodes) {
    const Position<G> start(game);
    ActionMask actions;
    game.legal_actions(start.state, start.history, actions);
    return std::min(nodes * static_cast<std::size_t>(actions.count()), kMostReservedEdges);
  }

  bool gumbel() const { return config_.algorithm == Algorithm::gumbel; }

  void start_tree() {
    tree_.clear(game_->player_to_move(position_.state));
    history_ = position_.history;
    pending_ = kNoNode;
    noised_ = false;
  }

  // Follows the selection rule to a node that is not expanded (true: it waits for its evaluation) or proven (false:
  // the simulation is complete).
  bool descend() {
    path_.clear();
    leaf_ = position_.state;
    history_.truncate(position_.history.size());
    NodeIndex current = Tree::kRoot;
    for (;;) {
      const Node& node = tree_.node(current);
      if (node.proven && current != Tree::kRoot) {
        tree_.backup(path_, current, node.value);
        --simulations_left_;
        return false;
      }
      if (!node.expanded()) {
        game_->legal_actions(leaf_, history_, leaf_actions_);
        pending_ = current;
        return true;
      }
      Slot slot = select(node, current == Tree::kRoot);
      NodeIndex child = tree_.child(node, slot);
      remember(*game_, leaf_, history_);
      game_->apply(leaf_, tree_.action(node, slot));
      if (child == kNoNode) {
        slot = tree_.add_child(current, slot, game_->player_to_move(leaf_));
        child = static_cast<NodeIndex>(tree_.size() - 1);
        prove_leaf(child);
      }
      path_.push_back({current, slot});
      current = child;
    }
  }

  // A new node: is the game over, or can the mover win at once?
  void prove_leaf(NodeIndex leaf) {
    const Outcome outcome = game_->outcome(leaf_, history_);
    if (outcome.over()) {
      tree_.set_proven(leaf, outcome.values, 0);
    } else if (winning_action(leaf_) != kNoAction) {
      tree_.set_proven(leaf, Outcome::won_by(game_->player_to_move(leaf_)).values, 1);
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

  float exploration(std::uint32_t visits) const {
    return visits < exploration_.size() ? exploration_[visits] : puct_exploration(config_, visits);
  }

  Slot select(const Node& node, bool root) {
    const EdgeView edges = tree_.edges(node);
    if (!gumbel()) return select_puct(node, edges, config_, exploration(node.visits));
    if (!root) return select_gumbel(node, edges, config_);
    const Slot slot = halving_.select(tree_, config_);
    return slot >= 0 ? slot : select_lost(edges);
  }

  // Noise for every legal action of the root, by action: Gumbel, or a Dirichlet sample.
  void draw_noise(Random& random) {
    if (!explore_) {
      std::fill(noise_.begin(), noise_.end(), 0.0f);
      return;
    }
    ActionMask actions;
    game_->legal_actions(position_.state, position_.history, actions);
    if (gumbel()) {
      actions.for_each([&](Action action) { noise_[index(action)] = static_cast<float>(random.gumbel()); });
      return;
    }
    std::array<float, ActionMask::kCapacity> sample;
    const std::span<float> entries(sample.data(), static_cast<std::size_t>(actions.count()));
    random.dirichlet(config_.root_noise_total / static_cast<double>(entries.size()), entries);
    std::size_t next = 0;
    actions.for_each([&](Action action) { noise_[index(action)] = entries[next++]; });
  }

  // The root has its edges: plays a win in one, or mixes the Dirichlet noise into its priors (PUCT), or chooses the
  // actions to consider (Gumbel).
  void prepare_root() {
    visit_win();
    if (tree_.root().proven) return;
    if (gumbel()) {
      halving_.prepare(tree_, config_, simulations_, noise_);
      return;
    }
    if (noised_) tree_.set_priors(Tree::kRoot, [&](Action action, float) { return clean_prior_[index(action)]; });
    noised_ = explore_;
    if (!explore_) return;
    const float share = config_.root_noise_fraction;
    tree_.set_priors(Tree::kRoot, [&](Action action, float prior) {
      clean_prior_[index(action)] = prior;
      return (1.0f - share) * prior + share * noise_[index(action)];
    });
  }

  Slot best_slot() const {
    const Node& root = tree_.root();
    assert(root.expanded());
    if (decided(root)) return best_proven(tree_, root);
    if (gumbel()) {
      const Slot slot = halving_.winner(tree_, config_);
      if (slot >= 0) return slot;
    }
    return most_visited();
  }

  // The edge with the most visits (of equals the higher value, then the first) that is not lost.
  Slot most_visited() const {
    const Node& root = tree_.root();
    const EdgeView edges = tree_.edges(root);
    Slot best = root.visited < root.edges ? root.visited : 0;  // the highest prior, where nothing is visited
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

  // policy_target by slot, [edges].
  void root_policy(std::span<float> policy) const {
    const Node& root = tree_.root();
    if (decided(root)) {
      share_among_best(policy);
    } else if (gumbel()) {
      improved_policy(root, tree_.edges(root), config_, policy);
    } else {
      visit_shares(policy);
    }
  }

  void share_among_best(std::span<float> policy) const {
    const Node& root = tree_.root();
    const Node& best = tree_.node(tree_.child(root, best_proven(tree_, root)));
    std::fill(policy.begin(), policy.end(), 0.0f);
    int count = 0;
    for (Slot slot = 0; slot < root.visited; ++slot) {
      const Node& child = tree_.node(tree_.child(root, slot));
      if (!child.proven || child.value[root.mover] != best.value[root.mover] || child.plies != best.plies) continue;
      policy[slot] = 1.0f;
      ++count;
    }
    for (float& entry : policy) entry /= static_cast<float>(count);
  }

  void visit_shares(std::span<float> policy) const {
    const Node& root = tree_.root();
    const EdgeView edges = tree_.edges(root);
    std::fill(policy.begin(), policy.end(), 0.0f);
    double total = 0.0;
    for (Slot slot = 0; slot < edges.visited; ++slot) {
      if (edges.value[slot] == kLostEdge) continue;
      policy[slot] = static_cast<float>(edges.visits[slot]);
      total += edges.visits[slot];
    }
    if (total == 0.0) {
      policy[most_visited()] = 1.0f;
      return;
    }
    for (float& entry : policy) entry = static_cast<float>(entry / total);
  }

  const G* game_;
  SearchConfig config_;
  std::size_t node_limit_;
  Tree tree_;
  Tree other_tree_;  // where play() copies what it keeps
  SequentialHalving halving_;
  Position<G> position_;
  typename G::State leaf_;
  History history_;  // the root's, and on the way down the path's
  ActionMask leaf_actions_;
  std::vector<PathStep> path_;
  std::vector<float> exploration_;  // PUCT: by a node's visits, [node_limit + 1]
  std::vector<float> noise_;        // [num_actions] by action, this search's
  std::vector<float> clean_prior_;  // [num_actions] by action: the root's priors while noise is mixed in
  NodeIndex pending_ = kNoNode;     // the node that waits for its evaluation
  int simulations_ = 0;             // of this search
  int simulations_left_ = 0;
  bool explore_ = false;
  bool noised_ = false;  // PUCT: the root's priors hold noise
};

// Runs one search from begin to end with `evaluate(state) -> Prediction`; for tests and tools.
template <Game G, class Evaluate>
void run_search(Search<G>& search, const SearchBudget& budget, Random& random, Evaluate&& evaluate) {
  search.begin(budget, random);
  while (search.step() == SearchStep::evaluate) search.supply(evaluate(search.leaf()));
}

}  // namespace koridor
