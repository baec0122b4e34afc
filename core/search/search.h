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
// What a search does at the root and inside the tree is its rule's (rules.h: puct.h, gumbel.h), what it says when it is
// done is in report.h, and what else rules share is in tree.h (arena, backup, proofs) and proofs.h.
//
// Values have one entry per player, in seat order; each player maximises its own, and the state tells who is to move.
// Finished games and values that the game knows are exact (exact.h), and proofs go up from them: a position is proven
// when its mover has a move to a proven own win, or when all its moves are proven (tree.h). A root that is proven, or
// whose moves all are (proofs.h), ends its search at once.
//
// Nothing is shared, and random numbers are drawn in begin() and sample_action() only, so that the same calls give the
// same search.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/config.h"
#include "core/search/exact.h"
#include "core/search/leaves.h"
#include "core/search/limits.h"
#include "core/search/opponent_model.h"
#include "core/search/prediction.h"
#include "core/search/proofs.h"
#include "core/search/report.h"
#include "core/search/room.h"
#include "core/search/rules.h"
#include "core/search/tree.h"

namespace koridor {

enum class SearchStep : std::uint8_t {
  evaluate,  // the search wants a prediction for leaf()
  waiting,   // it goes on when a pending leaf is supplied; callers that supply each leaf before the next never see this
  paused,    // it has done limits.pause simulations without an evaluation, and goes on at the next step
  done,
};

template <Game G>
class Search {
 public:
  using Step = SearchStep;

  // The game must outlive the search. Throws UserError where config.algorithm names no rule.
  explicit Search(const G& game, const SearchConfig& config, const SearchRoom& room = {})
      : game_(&game),
        room_(room),
        transposition_visits_(config.transposition_visits),
        tree_(new_tree()),
        other_tree_(new_tree()),
        rule_(make_rule(game, search_for_game(config, game))),
        position_(game),
        leaves_(position_.state, static_cast<std::size_t>(game.max_plies()) + 2),
        knowledge_(game),
        opponents_(game, config.opponent_model),
        history_(game.max_plies() + 1) {
    std::visit([&](auto& rule) { rule.reserve(room.visits); }, rule_);
    if constexpr (requires { knowledge_.prove_walls(config.proven_walls); }) {
      knowledge_.prove_walls(config.proven_walls);
    }
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
    opponents_.play_by(game);
    reset(position);
  }
  // Whether the others in this game are those of SearchConfig::opponent_model, as at first; to be said before reset().
  void meet_opponents(bool they_are) { meets_opponents_ = they_are; }

  // Starts one search at the root, which must not be over. The root's own evaluation, where it is not kept, comes on
  // top and is waited for whatever the limits. A root that is already proven needs no simulation.
  void begin(const SearchLimits& limits, Random& random) {
    assert(!game_->outcome(position_.state, position_.history).over());
    abandon_leaves();
    opponents_.count_anew();
    if (expects_opponents()) keep_tree_of(game_->player_to_move(position_.state));
    leaves_.set_most(std::clamp(limits.pending, 1, SearchLimits::kMostPending));
    several_ = limits.pending > 1;
    pause_ = limits.pause;
    watch_.start(limits, actions_ahead(*game_, position_.state));
    std::visit([&](auto& rule) { begin_by(rule, limits, random); }, rule_);
  }

  // Runs simulations until one needs the network (evaluate: give leaf()'s prediction to supply(), under ticket() if
  // several leaves are pending), the search is over and all its leaves are supplied (done), it cannot go on before
  // another supply (waiting), or it has gone on for long without either (paused). A full tree ends it, too, unless it
  // makes room for itself (SearchRoom::forgets).
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
    const float factor = std::visit([](const auto& rule) { return rule.logit_factor(); }, rule_);
    if (tree_.transpositions().on() && !looks_back(*game_)) {
      tree_.name_position(node, prediction_key(*game_, leaf.state));
    }
    tree_.expand(node, leaf.actions, factor, [&](Action action) {
      return prediction.policy[static_cast<std::size_t>(game_->policy_index(leaf.state, 0, action))];
    });
    if (expects_opponents() && !leaf.expected.empty()) OpponentModel<G>::apply(tree_, node, leaf.expected);
    const int mover = game_->player_to_move(leaf.state);
    const Values values = seat_values(prediction, game_->players(), mover);
    tree_.set_estimate(node, values[mover]);
    leaves_.release(tree_, leaf);
    tree_.backup(leaf.path, node, to_mean(values));
    leaves_.take_back(ticket);
    if (node == Tree::kRoot) {
      std::visit([&](auto& rule) { prepare_root(rule); }, rule_);
    } else {
      count_simulation(leaf.path.size());
    }
  }

  // What the search says after done (report.h): the action to play in matches and, with chance, in self-play; what the
  // network is to learn; the root's values in seat order; every root action; the line of play that it expects.
  Action best_action() const { return report().best_action(); }
  Action sample_action(double temperature, Random& random) const { return report().sample_action(temperature, random); }
  ChoiceSoFar choice() const { return report().choice(); }  // best_action() and how sure it is, while a search goes on
  void policy_target(std::vector<PolicyEntry>& out) const { report().policy_target(out); }
  double surprise() const { return report().surprise(); }
  Values root_value() const { return report().root_value(); }
  std::vector<ActionStatistics> statistics() const { return report().statistics(); }
  void principal_variation(std::vector<Action>& out) const {
    report().principal_variation(*game_, position_, knowledge_, out);
  }
  void principal_variation(Action first, std::vector<Action>& out) const {
    report().principal_variation(*game_, position_, first, knowledge_, out);
  }

  // Whether the root's value and best action are certain.
  bool proven() const { return tree_.root().proven; }
  // Whether the rules alone give the root's value (exact.h): no search asks the network about what lies below it.
  bool known() const {
    return winning_action(*game_, position_.state) != kNoAction ||
           known_value(*game_, position_.state, position_.history, knowledge_).has_value();
  }
  // Whether its time is up, or its stop or another rule of limits.h has ended it: it hands out no more leaves.
  bool stopped() const { return watch_.ended(); }
  // Predictions that have not come are not waited for any more; their simulations do not count. What is known of such a
  // leaf is its parent's value: without any, its edge would look like a loss to every later search of this tree.
  void abandon_leaves() {
    leaves_.for_each([&](Leaf& leaf) {
      leaves_.release(tree_, leaf);
      if (!leaf.path.empty()) tree_.assume_value(leaf.path.back());
    });
    leaves_.forget();
  }
  // Positions that the model of the opponents has looked at since begin().
  std::uint64_t modelled_nodes() const { return opponents_.nodes(); }
  // Simulations done since begin(), the root's own evaluation not counted.
  int simulations() const { return simulations_; }
  // How many plies below the root these simulations ended, on average and at most; 0 where there were none.
  double mean_depth() const { return simulations_ > 0 ? static_cast<double>(depths_) / simulations_ : 0.0; }
  int largest_depth() const { return static_cast<int>(largest_depth_); }
  // Simulations below the root, kept ones included (not its own evaluation).
  int root_visits() const { return std::max(static_cast<int>(tree_.root().visits) - 1, 0); }

  // Plays an action at the root, searched or not. The subtree below it is kept as far as it has room (SearchRoom): the
  // deepest nodes go first.
  void play(Action action) {
    abandon_leaves();
    const Slot slot = tree_.find(tree_.root(), action);
    const NodeIndex child = slot < 0 ? kNoNode : tree_.child(tree_.root(), slot);
    // First, so that nothing has changed where there is no memory for it.
    if (child != kNoNode) other_tree_.keep(tree_, child, room_.most_kept(), room_.most_kept_bytes());
    position_.apply(*game_, action);
    if (child == kNoNode || !other_tree_.root().expanded()) return start_tree();
    std::swap(tree_, other_tree_);
    history_ = position_.history;
    std::visit([](auto& rule) { rule.root_changed(); }, rule_);
  }

  // Hands the tree out, which set_tree() may take again; an empty one takes its place.
  Tree give_tree() {
    abandon_leaves();
    Tree given = std::exchange(tree_, new_tree());
    start_tree();
    return given;
  }
  // Goes to `position` with a tree that was given out there (or at a position of the same rules and past), which from
  // then on has this search's limits. With a model of the opponents, by which each seat has trees of its own, it is not
  // taken, nor where its nodes share transpositions otherwise than this search's.
  void set_tree(const Position<G>& position, Tree tree) {
    position_ = position;
    start_tree();
    if (expects_opponents() || !shares_as(tree)) return;
    tree_ = std::move(tree);
    tree_.limit_nodes(room_.nodes);
    tree_.limit_bytes(room_.bytes);
  }
  // The same with a copy of what is below `node` of a tree, as far as play() would keep it.
  void set_tree(const Position<G>& position, const Tree& from, NodeIndex node) {
    position_ = position;
    start_tree();
    if (expects_opponents() || !shares_as(from)) return;
    tree_.keep(from, node, room_.most_kept(), room_.most_kept_bytes());
    if (!tree_.root().expanded()) start_tree();
  }

  const Position<G>& position() const { return position_; }
  const Tree& tree() const { return tree_; }
  // Another SearchRoom::bytes, from now on.
  void limit_tree_bytes(std::size_t bytes) {
    room_.bytes = bytes;
    tree_.limit_bytes(bytes);
    other_tree_.limit_bytes(bytes);
  }

  std::size_t memory_bytes() const {
    return sizeof(*this) + tree_.memory_bytes() + other_tree_.memory_bytes() +
           std::visit([](const auto& rule) { return rule.memory_bytes(); }, rule_) + leaves_.memory_bytes() +
           knowledge_.memory_bytes() + 2 * static_cast<std::size_t>(game_->max_plies() + 1) * sizeof(std::uint64_t);
  }

 private:
  using Leaf = PendingLeaf<typename G::State>;
  static constexpr int kReservedEndless = 1 << 16;
  static constexpr int kNobody = -1;
  static constexpr int kEndless = std::numeric_limits<int>::max() - SearchLimits::kMostPending;

  enum class Descent : std::uint8_t {
    complete,   // came to a proven node: the simulation is done
    leaf,       // came to a node that must be evaluated: leaves_.next()
    must_wait,  // came to a pending leaf, or the rule wants the pending leaves' values first: no simulation
  };

  SearchReport report() const { return {tree_, rule_}; }

  bool expects_opponents() const { return opponents_.any() && meets_opponents_; }
  // In a tree that was searched for another seat this one's choices were an opponent's: it is forgotten.
  void keep_tree_of(int seat) {
    if (std::exchange(seat_, seat) != seat && tree_.root().expanded()) start_tree();
  }
  [[gnu::noinline]] void expect_of_opponent(Leaf& leaf) {
    leaf.expected.clear();
    if (game_->player_to_move(leaf.state) != seat_) opponents_.expect(leaf.state, history_, leaf.expected);
  }

  Tree new_tree() const {
    Tree tree = make_tree(*game_, room_);
    tree.share_transpositions(looks_back(*game_) ? 0 : transposition_visits_);
    return tree;
  }
  bool shares_as(const Tree& tree) const {
    return tree.transpositions().most_visits() == tree_.transpositions().most_visits();
  }
  void start_tree() {
    tree_.clear(game_->player_to_move(position_.state));
    history_ = position_.history;
    leaves_.forget();
    std::visit([](auto& rule) { rule.root_changed(); }, rule_);
  }

  static SearchRules::Any make_rule(const G& game, const SearchConfig& config) {
    return SearchRules::make(config.algorithm, config, game.num_actions());
  }

  template <class Rule>
  void begin_by(Rule& rule, const SearchLimits& limits, Random& random) {
    const int visits = std::max(limits.visits, 1);
    const bool counts_kept = Rule::kKeptVisitsCount && limits.count_kept;
    planned_ = counts_kept ? std::max(visits - root_visits(), 1) : visits;
    if (limits.endless()) planned_ = kEndless;
    rule.reserve(limits.endless() ? kReservedEndless : visits);
    simulations_ = 0;
    depths_ = largest_depth_ = 0;
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
    int without_leaf = 0;
    while (wants_simulation()) {
      if (leaves_.full()) return Step::waiting;
      switch (descend(rule)) {
        case Descent::complete:
          rule.simulated();
          count_simulation(leaves_.next().path.size());
          if (++without_leaf == pause_) return Step::paused;
          break;
        case Descent::leaf:
          hand_out(rule);
          return Step::evaluate;
        case Descent::must_wait:
          return Step::waiting;
      }
    }
    return leaves_.count() == 0 ? Step::done : Step::waiting;
  }

  bool wants_simulation() {
    if (!tree_.root().expanded()) return true;
    return simulations_ + leaves_.count() < planned_ && !decided(tree_.root()) &&
           !watch_.over(simulations_, [this] { return choice(); }) && (!tree_.full() || make_room());
  }

  // Of a full tree, as SearchRoom::forgets says; false where it stays full. The leaves under way come first, since they
  // name nodes: without their supply there is no room.
  [[gnu::noinline]] bool make_room() {
    if (!room_.forgets || leaves_.count() > 0 || !other_tree_.keep_most_visited(tree_)) return false;
    std::swap(tree_, other_tree_);
    other_tree_.clear(0);
    other_tree_.release_room();
    return true;
  }

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
        if (node.held > 0) return Descent::must_wait;
        game_->legal_actions(leaf.state, history_, leaf.actions);
        if (expects_opponents()) expect_of_opponent(leaf);
        leaf.node = current;
        return Descent::leaf;
      }
      Slot slot = current == Tree::kRoot ? select_root(rule) : rule.select(node, tree_.edges(node));
      if (slot < 0) return Descent::must_wait;
      NodeIndex child = tree_.child(node, slot);
      remember(*game_, leaf.state, history_);
      game_->apply(leaf.state, tree_.action(node, slot));
      if (child == kNoNode) {
        const float assumed = several_ ? assumed_value(rule, node) : 0.0f;
        slot = tree_.add_child(current, slot, game_->player_to_move(leaf.state), assumed);
        child = static_cast<NodeIndex>(tree_.size() - 1);
        const std::optional<KnownValue> known = value_of_leaf(*game_, leaf.state, history_, knowledge_);
        if (known) tree_.set_proven(child, known->values, known->plies);
      }
      leaf.path.push_back({current, slot});
      current = child;
    }
  }

  template <class Rule>
  Slot select_root(Rule& rule) {
    return rule.select_root(tree_, leaves_.count() == 0, [this] { return watch_.simulations_left(simulations_); });
  }

  template <class Rule>
  void hand_out(Rule& rule) {
    ticket_ = leaves_.hand_out();
    Leaf& leaf = leaves_.leaf(ticket_);
    if (leaf.node != Tree::kRoot) rule.simulated();
    if (several_) leaves_.hold(tree_, leaf);
  }

  void count_simulation(std::size_t depth) {
    ++simulations_;
    depths_ += depth;
    largest_depth_ = std::max(largest_depth_, depth);
  }

  // Not inlined: a search with one leaf at a time never gets here and must not be slowed down by it.
  template <class Rule>
  [[gnu::noinline]] float assumed_value(const Rule& rule, const Node& node) const {
    return rule.assumed_value(node, tree_.edges(node));
  }

  // The root has its edges: shows its value where that needs no search, or lets the rule prepare it.
  template <class Rule>
  void prepare_root(Rule& rule) {
    prove_root(*game_, position_, history_, knowledge_, tree_);
    if (!tree_.root().proven) rule.begin_root(tree_, planned_ == kEndless ? 0 : planned_);
  }

  const G* game_;
  SearchRoom room_;
  int transposition_visits_;
  Tree tree_;
  Tree other_tree_;  // where play() copies what it keeps
  SearchRules::Any rule_;
  Position<G> position_;
  PendingLeaves<typename G::State> leaves_;
  mutable Knowledge<G> knowledge_;  // what it holds changes no answer
  OpponentModel<G> opponents_;
  bool meets_opponents_ = true;
  int seat_ = kNobody;    // with a model of the opponents: for whom the tree was searched
  History history_;       // the root's, and on the way down the path's
  int ticket_ = 0;        // of the leaf handed out last
  int pause_ = 0;         // SearchLimits::pause
  bool several_ = false;  // leaves may be pending at once: they hold virtual visits
  SearchWatch watch_;
  int planned_ = 0;                // simulations of this search
  int simulations_ = 0;            // of this search, done
  std::size_t depths_ = 0;         // the sum of their depths
  std::size_t largest_depth_ = 0;  // the largest of them
};

}  // namespace koridor
