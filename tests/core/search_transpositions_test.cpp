// What nodes of one position tell each other (core/search/transpositions.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"
#include "core/search/archive.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Paths;

SearchConfig sharing(const std::string& algorithm, int visits = 16) {
  SearchConfig config = with(algorithm);
  config.transposition_visits = visits;
  return config;
}

// The positions of a tree's nodes, by node.
template <Game G>
void list_states(const G& game, const Tree& tree, NodeIndex index_of, const typename G::State& state,
                 std::map<NodeIndex, typename G::State>& states) {
  states.emplace(index_of, state);
  const Node& node = tree.node(index_of);
  for (Slot slot = 0; slot < node.visited; ++slot) {
    typename G::State next = state;
    game.apply(next, tree.action(node, slot));
    list_states(game, tree, tree.child(node, slot), next, states);
  }
}

// Counted by check_values().
struct Twins {
  int nodes = 0;  // evaluated ones
  int told = 0;   // that have a twin
  int heavy = 0;  // whose own part counts more than one visit
};

// A node's value is the mean of its own part and of its children's values.
void expect_mean_of_parts(const Tree& tree, NodeIndex index_of) {
  const Node& node = tree.node(index_of);
  const Transpositions::Own& own = tree.transpositions().own(index_of);
  double total = own.weight;
  MeanValues sum;
  for (int player = 0; player < kMaxPlayers; ++player) sum[player] = own.weight * own.values[player];
  for (Slot slot = 0; slot < node.visited; ++slot) {
    const Node& child = tree.node(tree.child(node, slot));
    total += child.visits;
    for (int player = 0; player < kMaxPlayers; ++player) sum[player] += child.visits * child.value[player];
  }
  EXPECT_NEAR(own.total, total, 1e-9);
  for (int player = 0; player < kMaxPlayers; ++player) EXPECT_NEAR(node.value[player], sum[player] / total, 1e-9);
}

// Every node's value is the mean of its parts, and its own part is the network's, or was a twin's that is of the same
// position. In a tree that was not `kept` from a larger one, at most one node of each position has no twin.
template <Game G, class Evaluate>
Twins check_values(const G& game, const Search<G>& search, Evaluate&& evaluate, double most, bool kept) {
  const Tree& tree = search.tree();
  std::map<NodeIndex, typename G::State> states;
  list_states(game, tree, Tree::kRoot, search.position().state, states);
  EXPECT_EQ(states.size(), tree.size());
  Twins twins;
  std::map<std::uint64_t, int> alone;
  for (const auto& [index_of, state] : states) {
    const Node& node = tree.node(index_of);
    if (node.proven || node.visits == 0) continue;
    ++twins.nodes;
    const Transpositions::Own& own = tree.transpositions().own(index_of);
    EXPECT_EQ(own.key, prediction_key(game, state));
    expect_mean_of_parts(tree, index_of);
    EXPECT_LE(own.weight, most);
    twins.heavy += own.weight > 1.0 ? 1 : 0;
    if (own.weight == 1.0 && !kept) {  // nothing that was searched further has been told
      const Values values = seat_values(evaluate(state), game.players(), game.player_to_move(state));
      for (int player = 0; player < game.players(); ++player) EXPECT_NEAR(own.values[player], values[player], 1e-6);
    }
    if (own.twin == kNoNode) {
      ++alone[own.key];
      continue;
    }
    ++twins.told;
    EXPECT_NE(own.twin, index_of);
    EXPECT_EQ(prediction_key(game, states.at(own.twin)), own.key);
  }
  if (!kept) {
    for (const auto& [key, nodes] : alone) EXPECT_EQ(nodes, 1);
  }
  return twins;
}

class TranspositionsTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, TranspositionsTest, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

// A tree that is made by hand: a path goes down from the root, and each new node is evaluated.
class HandMadeTree {
 public:
  explicit HandMadeTree(int most) {
    tree.share_transpositions(most);
    tree.clear(0);
    visit(Tree::kRoot, 1, 0.5);
  }
  // A new child of `parent`, at the end of the path to it.
  NodeIndex add(std::vector<PathStep> to_parent, NodeIndex parent, std::uint64_t key, double first) {
    path = std::move(to_parent);
    path.push_back({parent, tree.add_child(parent, tree.node(parent).visited, 1 - tree.node(parent).mover)});
    const NodeIndex node = static_cast<NodeIndex>(tree.size() - 1);
    visit(node, key, first);
    return node;
  }
  double value(NodeIndex node) const { return tree.node(node).value[0]; }

  Tree tree{0, 0};
  std::vector<PathStep> path;  // to the node visited last

 private:
  void visit(NodeIndex node, std::uint64_t key, double first) {
    ActionMask actions;
    for (std::uint16_t action = 0; action < 5; ++action) actions.set(Action{action});
    tree.name_position(node, key);
    tree.expand(node, actions, 1.0f, [](Action) { return 0.0f; });
    tree.backup(path, node, MeanValues{first, 1.0 - first, 0.0, 0.0});
  }
};

// A position that one order of moves has visited three times is reached by another.
TEST(Transpositions, ATwinIsTold) {
  for (const int most : {2, 16}) {
    HandMadeTree made(most);
    constexpr std::uint64_t kSame = 100;
    const NodeIndex a = made.add({}, Tree::kRoot, 2, 0.4);
    const std::vector<PathStep> to_a = made.path;
    const NodeIndex one = made.add(to_a, a, kSame, 0.2);
    const std::vector<PathStep> to_one = made.path;
    made.add(to_one, one, 3, 0.9);
    made.add(to_one, one, 4, 0.7);
    const double found = (0.2 + 0.9 + 0.7) / 3;
    EXPECT_NEAR(made.value(one), found, 1e-12);

    const NodeIndex b = made.add({}, Tree::kRoot, 5, 0.8);
    const std::vector<PathStep> to_b = made.path;
    const NodeIndex other = made.add(to_b, b, kSame, 0.2);
    const std::vector<PathStep> to_other = made.path;
    EXPECT_NEAR(made.value(other), found, 1e-12) << "in place of the network's value";
    EXPECT_NEAR(made.value(b), (0.8 + found) / 2, 1e-12) << "where it counts as one visit";
    EXPECT_EQ(made.tree.node(other).visits, 1u);

    const NodeIndex below = made.add(to_other, other, 6, 0.0);
    const std::vector<PathStep> to_below = made.path;
    const double weight = most == 2 ? 2 : 3;
    double expected = weight * found / (weight + 1);
    EXPECT_NEAR(made.value(other), expected, 1e-12) << "a child outweighs it by and by";

    // Now this one has more visits, and the first is told.
    for (const std::uint64_t key : {7, 8}) made.add(to_below, below, key, 0.0);
    expected = weight * found / (weight + 3);
    EXPECT_NEAR(made.value(other), expected, 1e-12);
    EXPECT_EQ(made.tree.node(other).visits, 4u);
    made.add(to_one, one, 9, 0.5);
    EXPECT_EQ(made.tree.node(one).visits, 4u) << "as many, so that it is not told";
    EXPECT_NEAR(made.value(one), (0.2 + 0.9 + 0.7 + 0.5) / 4, 1e-12);
    made.add(to_below, below, 10, 0.0);
    made.add(to_below, below, 11, 0.0);
    expected = weight * found / (weight + 5);
    EXPECT_NEAR(made.value(other), expected, 1e-12) << "nor are its own children counted a second time";
    made.add(to_one, one, 12, 0.5);
    const double told = std::min(most, 6);
    EXPECT_NEAR(made.value(one), (told * expected + 0.9 + 0.7 + 0.5 + 0.5) / (told + 4), 1e-12);

    // A third one asks whichever has the most visits.
    const NodeIndex c = made.add({}, Tree::kRoot, 13, 0.3);
    const NodeIndex third = made.add(made.path, c, kSame, 0.2);
    EXPECT_NEAR(made.value(third), made.value(other), 1e-12);
  }
}

TEST_P(TranspositionsTest, ATreeWithoutThemIsAsItWas) {
  const Paths game({.players = 3, .num_actions = 12, .max_plies = 1000, .looks_back = false});
  const auto tree_of = [&](const SearchConfig& config) {
    Search<Paths> search(game, config, 300);
    HashEvaluator<Paths> evaluate(game);
    Random random(1);
    run_search(search, {300, false}, random, evaluate);
    return print_tree(search.tree());
  };
  EXPECT_EQ(tree_of(sharing(GetParam())), tree_of(with(GetParam())));
}

// The first plies of a game, whose tree is kept from ply to ply.
template <Game G>
Twins play_and_check(const G& game, const SearchConfig& config, int pending) {
  Search<G> search(game, config);
  HashEvaluator<G> evaluate(game);
  Random random(3);
  Twins all;
  for (int ply = 0; ply < 3; ++ply) {
    if (game.outcome(search.position().state, search.position().history).over()) break;
    search.begin({.visits = 400, .explore = true, .count_kept = false, .pending = pending}, random);
    std::vector<int> tickets;
    for (SearchStep step = search.step(); step != SearchStep::done; step = search.step()) {
      if (step == SearchStep::evaluate) {
        tickets.push_back(search.ticket());
        if (static_cast<int>(tickets.size()) < pending) continue;
      }
      for (const int ticket : tickets) search.supply(ticket, evaluate(search.leaf(ticket)));
      tickets.clear();
    }
    const Twins twins = check_values(game, search, evaluate, config.transposition_visits, ply > 0);
    all.nodes += twins.nodes;
    all.told += twins.told;
    all.heavy += twins.heavy;
    search.play(search.best_action());
    check_values(game, search, evaluate, config.transposition_visits, true);
  }
  return all;
}

// Of two and of four players, with one leaf and with several at a time.
TEST_P(TranspositionsTest, AValueIsTheMeanOfItsParts) {
  const auto wall = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=4"));
  const auto four = std::get<wall::WallGame>(parse_game("quoridor4:5x5,walls=2"));
  for (const int pending : {1, 8}) {
    for (const Twins& twins :
         {play_and_check(wall, sharing(GetParam()), pending), play_and_check(four, sharing(GetParam(), 3), pending)}) {
      EXPECT_GT(twins.told, 0) << pending;
      EXPECT_GT(twins.heavy, 0) << pending;
      EXPECT_LT(twins.told, twins.nodes) << pending;
    }
  }
}

// What a node keeps of children that were forgotten counts on; the values of a game without chance stay in range.
TEST_P(TranspositionsTest, AForgetfulTreeKeepsItsValues) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=4"));
  Search<wall::WallGame> search(game, sharing(GetParam()), SearchRoom(0, 200, 0, true));
  HashEvaluator<wall::WallGame> evaluate(game);
  Random random(1);
  run_search(search, {.visits = 3000, .count_kept = false}, random, evaluate);
  EXPECT_EQ(search.simulations(), 3000);
  EXPECT_LE(search.tree().size(), 200u);
  const Tree& tree = search.tree();
  int forgotten = 0;
  for (NodeIndex index_of = 0; index_of < tree.size(); ++index_of) {
    const Node& node = tree.node(index_of);
    if (node.proven || node.visits == 0) continue;
    const Transpositions::Own& own = tree.transpositions().own(index_of);
    expect_mean_of_parts(tree, index_of);
    EXPECT_NEAR(node.value[0] + node.value[1], 1.0, 1e-6);
    forgotten += own.weight > 16.0 ? 1 : 0;
  }
  EXPECT_GT(forgotten, 0);
}

// A tree in an archive has no more memory than it uses, and goes on as one that was never put there: what it has found
// is told to nodes that are made later.
TEST_P(TranspositionsTest, AnArchivedTreeIsTheSame) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=4"));
  const auto search_twice = [&](bool archived) {
    Search<wall::WallGame> search(game, sharing(GetParam()), 5000);
    HashEvaluator<wall::WallGame> evaluate(game);
    Random random(1);
    run_search(search, {.visits = 300, .count_kept = false}, random, evaluate);
    if (archived) {
      TreeArchive archive;
      archive.put({}, search.give_tree());
      const TreeArchive::Found found = archive.find({});
      EXPECT_LE(found.place->tree.memory_bytes(), found.place->tree.memory_used() + 8192 * 16);
      search.set_tree(Position<wall::WallGame>(game), archive.take(found.place));
    }
    run_search(search, {.visits = 300, .count_kept = false}, random, evaluate);
    EXPECT_GT(check_values(game, search, evaluate, 16, false).told, 0);
    return print_tree(search.tree());
  };
  EXPECT_EQ(search_twice(true), search_twice(false));
}

// Positions by the ten thousand are found in several tables.
TEST(Transpositions, ALargeTreeFindsItsPositions) {
  Tree tree(0, 0);
  tree.share_transpositions(16);
  tree.clear(0);
  ActionMask actions;
  actions.set(Action{0});
  constexpr NodeIndex kPositions = 30'000;
  for (NodeIndex node = 0; node < 2 * kPositions; ++node) {
    tree.name_position(node, mix64(node % kPositions));
    tree.expand(node, actions, 1.0f, [](Action) { return 0.0f; });
    tree.add_child(node, 0, 0);
    const NodeIndex twin = tree.transpositions().own(node).twin;
    ASSERT_EQ(twin, node < kPositions ? kNoNode : node - kPositions);
  }
  tree.clear(0);
  tree.name_position(Tree::kRoot, mix64(0));
  EXPECT_EQ(tree.transpositions().own(Tree::kRoot).twin, kNoNode) << "a tree that was cleared knows none";
}

// By a rule of repetition a position's value depends on its past.
TEST_P(TranspositionsTest, GamesThatLookBackShareNothing) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=4,repetition=3"));
  const auto tree_of = [&](const SearchConfig& config) {
    Search<wall::WallGame> search(game, config);
    HashEvaluator<wall::WallGame> evaluate(game);
    Random random(1);
    run_search(search, {.visits = 300}, random, evaluate);
    EXPECT_FALSE(search.tree().transpositions().on());
    return print_tree(search.tree());
  };
  EXPECT_EQ(tree_of(sharing(GetParam())), tree_of(with(GetParam())));
}

// A tree of another search, whose nodes share otherwise, is not taken.
TEST_P(TranspositionsTest, ATreeThatSharesOtherwiseIsNotTaken) {
  const Paths game({.num_actions = 5, .max_plies = 20, .looks_back = false});
  const auto searched = [&](int visits) {
    Search<Paths> search(game, sharing(GetParam(), visits));
    HashEvaluator<Paths> evaluate(game);
    Random random(1);
    run_search(search, {.visits = 60}, random, evaluate);
    return search;
  };
  for (const auto& [from, to] : {std::pair(0, 16), std::pair(16, 0), std::pair(16, 8)}) {
    Search<Paths> giver = searched(from);
    Search<Paths> taker = searched(to);
    taker.set_tree(Position<Paths>(game), giver.tree(), Tree::kRoot);
    EXPECT_FALSE(taker.tree().root().expanded());
    taker.set_tree(Position<Paths>(game), giver.give_tree());
    EXPECT_FALSE(taker.tree().root().expanded());
    HashEvaluator<Paths> evaluate(game);
    Random random(1);
    run_search(taker, {.visits = 60}, random, evaluate);
    taker.play(taker.best_action());
  }
}

}  // namespace
}  // namespace koridor
