// The tree's room, with and without limits, and the line of play that is read from it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "core/registry.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"
#include "tests/little_memory.h"

namespace koridor {
namespace {

using toy::Paths;
using toy::Subtraction;
using toy::TicTacToe;
using wall::WallGame;

class SearchRoomTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchRoomTest, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(SearchRoomTest, GrowsWithoutANumberOfVisits) {
  const Paths game({.players = 3, .num_actions = 30, .max_plies = 8});
  const auto play = [&](const SearchRoom& room) {
    Search<Paths> search(game, with(GetParam()), room);
    HashEvaluator<Paths> evaluate(game);
    Random random(5);
    std::string record;
    for (int visits = 10; !game.outcome(search.position().state, search.position().history).over(); visits *= 2) {
      run_search(search, {visits, true}, random, evaluate);
      record += print_tree(search.tree());
      search.play(search.best_action());
    }
    return record;
  };
  EXPECT_EQ(play({}), play({5000}));
  EXPECT_EQ(play({}), play({0, 1'000'000}));
}

// A tree that forgets never has more than its room, and loses no visit of what it keeps.
TEST_P(SearchRoomTest, AForgetfulTreeGoesOn) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  constexpr int kVisits = 3000;
  for (const int pending : {1, 8}) {
    for (const SearchRoom& room : {SearchRoom(0, 300, 0, true), SearchRoom(0, 0, 60'000, true)}) {
      Search<Paths> search(game, with(GetParam()), room);
      HashEvaluator<Paths> evaluate(game);
      Random random(1);
      for (int ply = 0; ply < 3; ++ply) {
        const int before = search.root_visits();
        search.begin({.visits = kVisits, .count_kept = false, .pending = pending}, random);
        std::size_t largest = 0;
        const std::size_t beside = search.memory_bytes() - search.tree().memory_bytes();
        std::vector<int> tickets;  // of the leaves under way, which keep a full tree from making room
        for (SearchStep step = search.step(); step != SearchStep::done; step = search.step()) {
          if (step == SearchStep::evaluate) {
            tickets.push_back(search.ticket());
            continue;
          }
          for (const int ticket : tickets) search.supply(ticket, evaluate(search.leaf(ticket)));
          tickets.clear();
          largest = std::max(largest, search.tree().size());
        }
        EXPECT_EQ(search.simulations(), kVisits);
        EXPECT_EQ(search.root_visits(), before + kVisits);
        const std::size_t most = room.bytes + static_cast<std::size_t>(pending) * Tree::node_bytes(20);
        EXPECT_LE(search.tree().memory_used(), room.bytes > 0 ? most : Tree::kAnyBytes);
        EXPECT_LE(largest, room.nodes > 0 ? room.nodes : kVisits / 2);
        std::uint32_t below = 0;
        for (const ActionStatistics& action : search.statistics()) below += action.visits;
        // The root of a later search may have forgotten what was below it while it was a child.
        EXPECT_LE(below, search.tree().root().visits - 1);
        if (ply == 0) {
          EXPECT_EQ(below, static_cast<std::uint32_t>(kVisits));
          constexpr std::size_t kPaths = 10'000;  // of the leaves, as they become longer
          EXPECT_LE(search.memory_bytes() - search.tree().memory_bytes(), beside + kPaths) << "the tree forgotten";
        }
        for (NodeIndex node = 0; node < search.tree().size(); ++node) {
          const Node& parent = search.tree().node(node);
          const EdgeView edges = search.tree().edges(parent);
          for (Slot slot = 0; slot < edges.visited; ++slot) {
            const Node& child = search.tree().node(search.tree().child(parent, slot));
            EXPECT_EQ(edges.visits[slot], child.visits);
            EXPECT_LT(child.visits, parent.visits);
          }
        }
        search.play(search.best_action());
      }
    }
  }
}

// Where even the root's children do not fit into half of the room.
TEST_P(SearchRoomTest, AForgetfulTreeWithoutRoomEndsTheSearch) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  Search<Paths> search(game, with(GetParam()), SearchRoom(0, 3, 0, true));
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  run_search(search, {.visits = 100, .count_kept = false}, random, evaluate);
  EXPECT_LT(search.simulations(), 100);
  EXPECT_LE(search.tree().size(), 3u);
}

// Another limit holds for the trees that are played to as well.
TEST_P(SearchRoomTest, ALaterLimitStays) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  Search<Paths> search(game, with(GetParam()));
  constexpr std::size_t kBytes = 20000;
  search.limit_tree_bytes(kBytes);
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  for (int ply = 0; ply < 4; ++ply) {
    run_search(search, {.visits = 2000, .count_kept = false}, random, evaluate);
    EXPECT_TRUE(search.tree().full()) << ply;
    EXPECT_LE(search.tree().memory_used(), kBytes + Tree::node_bytes(20)) << ply;
    search.play(search.best_action());
  }
}

// And for trees that are given out, taken again, or taken from a search without one.
TEST_P(SearchRoomTest, ALaterLimitHoldsForEveryTreeThatIsTaken) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  Search<Paths> search(game, with(GetParam()));
  Search<Paths> boundless(game, with(GetParam()));
  constexpr std::size_t kBytes = 20000;
  search.limit_tree_bytes(kBytes);
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  const auto fills = [&] {
    run_search(search, {.visits = 2000, .count_kept = false}, random, evaluate);
    EXPECT_TRUE(search.tree().full());
    EXPECT_LE(search.tree().memory_used(), kBytes + Tree::node_bytes(20));
  };
  search.give_tree();
  fills();
  run_search(boundless, {.visits = 20}, random, evaluate);
  search.set_tree(Position<Paths>(game), boundless.give_tree());
  EXPECT_EQ(search.root_visits(), 20);
  fills();
}

// Visits without new positions would repeat what is known, and make kept values too sure of themselves.
TEST_P(SearchRoomTest, AFullTreeEndsTheSearch) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  const std::atomic<bool> stop = false;
  for (const bool endless : {false, true}) {
    for (const int pending : {1, 8}) {
      for (const std::size_t nodes : {1, 2, 17, 300}) {
        Search<Paths> search(game, with(GetParam()), {0, nodes});
        HashEvaluator<Paths> evaluate(game);
        Random random(1);
        for (int ply = 0; ply < 5; ++ply) {
          evaluate.calls = 0;
          search.begin({.visits = endless ? 0 : 2000, .explore = true, .stop = &stop, .pending = pending}, random);
          while (search.step() == SearchStep::evaluate) search.supply(search.ticket(), evaluate(search.leaf()));
          EXPECT_TRUE(search.tree().full());
          EXPECT_EQ(search.tree().size(), nodes);
          EXPECT_LE(evaluate.calls, static_cast<int>(nodes));
          EXPECT_LE(search.simulations(), static_cast<int>(nodes));
          // Every visit below the root is a position's.
          for (NodeIndex node = 1; node < search.tree().size(); ++node) {
            const EdgeView edges = search.tree().edges(search.tree().node(node));
            std::uint32_t below = 0;
            for (Slot slot = 0; slot < edges.visited; ++slot) below += edges.visits[slot];
            if (ply == 0) {
              EXPECT_EQ(search.tree().node(node).visits, 1 + below);
            }
          }
          ActionMask actions;
          game.legal_actions(search.position().state, search.position().history, actions);
          EXPECT_TRUE(actions.test(search.best_action()));
          EXPECT_GT(search.root_value()[0], 0.0f);
          std::vector<Action> line;
          search.principal_variation(line);
          EXPECT_FALSE(line.empty());
          search.play(search.best_action());
          EXPECT_LE(search.tree().size(), std::max<std::size_t>(nodes / 2, 1));
        }
      }
    }
  }
}

// A search that cannot do a simulation chooses by what was kept, and not by an action that was hardly looked at.
TEST_P(SearchRoomTest, WithoutASimulationWhatWasKeptChooses) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  const std::atomic<bool> stop = true;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Search<Paths> search(game, with(GetParam()));
    HashEvaluator<Paths> evaluate(game, 1.0);
    Random random(seed);
    run_search(search, {.visits = 400}, random, evaluate);
    search.play(search.best_action());
    ASSERT_GT(search.root_visits(), 0);
    run_search(search, {.visits = 400, .stop = &stop}, random, evaluate);
    EXPECT_EQ(search.simulations(), 0);
    const Tree& tree = search.tree();
    const EdgeView edges = tree.edges(tree.root());
    const Slot best = tree.find(tree.root(), search.best_action());
    ASSERT_LT(best, edges.visited);
    for (Slot slot = 0; slot < edges.visited; ++slot) EXPECT_LE(edges.visits[slot], 2 * edges.visits[best]);
  }
}

// Until the limit is met it changes nothing.
TEST_P(SearchRoomTest, ALimitCountsOnlyOnceItIsMet) {
  const Paths game({.num_actions = 20, .max_plies = 60});
  const auto tree = [&](const SearchRoom& room) {
    Search<Paths> search(game, with(GetParam()), room);
    HashEvaluator<Paths> evaluate(game);
    Random random(1);
    run_search(search, {300, true}, random, evaluate);
    return print_tree(search.tree());
  };
  EXPECT_EQ(tree({300}), tree({300, 301}));
  EXPECT_NE(tree({300}), tree({300, 200}));
}

// The line begins with the best action, follows the most visited children and stops where nothing was visited.
TEST_P(SearchRoomTest, PrincipalVariation) {
  const Paths game({.num_actions = 6, .max_plies = 40});
  Search<Paths> search(game, with(GetParam()), 500);
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  std::vector<Action> line = {Action{3}};
  search.principal_variation(line);
  EXPECT_TRUE(line.empty());  // nothing is known
  run_search(search, {500, false}, random, evaluate);
  search.principal_variation(line);
  ASSERT_GT(line.size(), 2u);
  EXPECT_EQ(line[0], search.best_action());
  const Tree& tree = search.tree();
  NodeIndex node = tree.child(tree.root(), tree.find(tree.root(), line[0]));
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Node& here = tree.node(node);
    const Slot slot = tree.find(here, line[i]);
    for (Slot other = 0; other < here.visited; ++other) {
      EXPECT_GE(tree.edges(here).visits[slot], tree.edges(here).visits[other]);
    }
    node = tree.child(here, slot);
  }
  EXPECT_EQ(tree.node(node).visited, 0);
}

// A proven win is shown to its end, quickest against the longest resistance.
TEST_P(SearchRoomTest, PrincipalVariationOfAProof) {
  const auto game = std::get<WallGame>(parse_game("quoridor:3x3,walls=1"));
  Search<WallGame> search(game, with(GetParam()), 3000);
  HashEvaluator<WallGame> evaluate(game);
  Random random(1);
  int proven = 0;
  for (int ply = 0; ply < 4; ++ply) {
    run_search(search, {3000, false}, random, evaluate);
    if (search.proven()) {
      ++proven;
      std::vector<Action> line;
      search.principal_variation(line);
      EXPECT_EQ(line.size(), search.tree().root().plies);
      Position<WallGame> position = search.position();
      for (const Action action : line) {
        EXPECT_FALSE(game.outcome(position.state, position.history).over());
        position.apply(game, action);
      }
      EXPECT_EQ(game.outcome(position.state, position.history).values, search.root_value());
    }
    search.play(search.best_action());
    if (game.outcome(search.position().state, search.position().history).over()) break;
  }
  EXPECT_GT(proven, 0);
}

// Each new node has a hundred edges; a chain of them.
void fill(Tree& tree, std::size_t nodes) {
  ActionMask actions;
  for (std::uint16_t action = 0; action < 100; ++action) actions.set(Action{action});
  for (NodeIndex last = static_cast<NodeIndex>(tree.size() - 1); tree.size() < nodes; ++last) {
    if (tree.transpositions().on()) tree.name_position(last, last + 1);
    tree.expand(last, actions, 1.0f, [](Action) { return 0.0f; });
    tree.add_child(last, 0, 0);
  }
}

// Whether a tree that got no more memory, with so many bytes beside what there was, is as good as new after clear().
bool survives_without_memory(std::size_t bytes, int transposition_visits) {
  Tree tree(16, 64);
  tree.share_transpositions(transposition_visits);
  tree.clear(0);
  tree.set_proven(Tree::kRoot, {1.0f, 0.0f}, 1);
  std::optional<LittleMemory> little(bytes);
  bool failed = false;
  try {
    fill(tree, 1'000'000);
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  Tree copy(16, 64);
  copy.share_transpositions(transposition_visits);
  try {
    copy.keep(tree, Tree::kRoot, 1'000'000);
    return false;
  } catch (const std::bad_alloc&) {
    if (copy.size() != 1 || copy.root().expanded() || copy.root().visits > 0) return false;
  }
  little.reset();
  fill(copy, 1000);
  const std::size_t reached = tree.size();
  tree.clear(0);
  fill(tree, 4 * reached);
  for (NodeIndex node = 0; node + 1 < tree.size(); ++node) {
    if (tree.child(tree.node(node), 0) != node + 1) return false;
  }
  return failed;
}

// The arrays of a tree grow one after the other, and any of them may be the first that finds no memory. In a process of
// its own, which would crash; sanitizers have no room under such a limit.
TEST(TreeDeathTest, GoesOnAfterMemoryWasShort) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP();
#endif
  for (const int mebibytes : {6, 9, 12, 15, 18, 21, 24, 28, 32}) {
    for (const int visits : {0, 16}) {
      EXPECT_EXIT(std::_Exit(survives_without_memory(static_cast<std::size_t>(mebibytes) << 20, visits) ? 0 : 1),
                  testing::ExitedWithCode(0), "")
          << mebibytes << " MiB, " << visits;
    }
  }
}

}  // namespace
}  // namespace koridor
