// Several pending leaves of one tree: one at a time it is the same search as ever, and with more of them nothing is
// evaluated twice, every visit is accounted for and every proof is true, in whatever order the predictions come.
#include <gtest/gtest.h>

#include <set>

#include "core/registry.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "tests/core/full_tree.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Paths;
using toy::Subtraction;
using toy::TicTacToe;
using wall::WallGame;

class SearchPending : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchPending, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

// Runs a search whose leaves wait until it can go on no further or, by chance, earlier, and are then supplied in random
// order, some of them or all.
template <Game G>
class Juggler {
 public:
  Juggler(Search<G>& search, HashEvaluator<G>& evaluate, std::uint64_t seed)
      : search_(search), evaluate_(evaluate), chance_(seed) {}

  void run(const SearchLimits& limits, Random& random) {
    search_.begin(limits, random);
    tickets_.clear();
    for (;;) {
      const SearchStep step = search_.step();
      if (step == SearchStep::done) break;
      if (step == SearchStep::evaluate) {
        EXPECT_TRUE(std::ranges::find(tickets_, search_.ticket()) == tickets_.end());
        EXPECT_LT(search_.ticket(), limits.pending);
        EXPECT_EQ(search_.leaf(), search_.leaf(search_.ticket()));
        tickets_.push_back(search_.ticket());
        most = std::max(most, tickets_.size());
        if (chance_.chance(0.9)) continue;
      } else {
        ++waits;
      }
      ASSERT_FALSE(tickets_.empty());
      for (int count = 1 + chance_.below(static_cast<int>(tickets_.size())); count > 0; --count) supply_one();
    }
    EXPECT_TRUE(tickets_.empty());
  }

  std::size_t most = 0;
  int waits = 0;

 private:
  void supply_one() {
    const auto place = tickets_.begin() + chance_.below(static_cast<int>(tickets_.size()));
    search_.supply(*place, evaluate_(search_.leaf(*place)));
    tickets_.erase(place);
  }

  Search<G>& search_;
  HashEvaluator<G>& evaluate_;
  Random chance_;
  std::vector<int> tickets_;
};

// The nodes below one, itself included.
struct TreeCount {
  int expanded = 0;
  int proven = 0;
};

// Every finished simulation through a node was its own evaluation or went on to a child, and nothing is held any more.
void check_visits(const Tree& tree, NodeIndex index_of, TreeCount& count) {
  const Node& node = tree.node(index_of);
  const EdgeView edges = tree.edges(node);
  EXPECT_EQ(node.held, 0);
  EXPECT_GT(node.visits, 0u);
  count.expanded += node.expanded() ? 1 : 0;
  count.proven += node.proven ? 1 : 0;
  std::uint32_t visits = 1;
  float prior = 0.0f;
  int proven = 0;
  for (Slot slot = 0; slot < node.visited; ++slot) {
    const NodeIndex child_index = tree.child(node, slot);
    const Node& child = tree.node(child_index);
    EXPECT_EQ(edges.visits[slot], child.visits);
    const float own = static_cast<float>(child.value[node.mover]);
    EXPECT_EQ(edges.value[slot], child.proven && own <= 0.0f ? kLostEdge : own);
    visits += child.visits;
    prior += edges.prior[slot];
    proven += child.proven ? 1 : 0;
    check_visits(tree, child_index, count);
  }
  if (node.expanded() && !node.proven) {
    EXPECT_EQ(node.visits, visits);
    EXPECT_EQ(node.proven_edges, proven);
    EXPECT_NEAR(node.visited_prior, prior, 1e-4);
  }
}

// The mean of a node is that of its own evaluation and its children, where no proof has moved it.
template <Game G>
void check_search(const Search<G>& search, const HashEvaluator<G>& evaluate) {
  TreeCount count;
  check_visits(search.tree(), Tree::kRoot, count);
  EXPECT_EQ(evaluate.calls, count.expanded);  // nothing twice, nothing for nothing
}

TEST_P(SearchPending, SuppliedOneByOneItIsTheSameTree) {
  const Paths paths({.players = 3, .num_actions = 20, .max_plies = 12});
  const Subtraction subtraction({.stones = 12});
  const auto play = [&](const auto& game, int pending) {
    using G = std::remove_cvref_t<decltype(game)>;
    Search<G> search(game, with(GetParam()), 80);
    HashEvaluator<G> evaluate(game);
    Random random(5);
    std::string record;
    while (!game.outcome(search.position().state, search.position().history).over()) {
      run_search(search, {.visits = 80, .explore = random.chance(0.5), .pending = pending}, random, evaluate);
      record += print_tree(search.tree());
      for (const float entry : search.root_value()) record += fmt::format("{} ", entry);
      search.play(search.sample_action(1.0, random));
    }
    return record;
  };
  EXPECT_EQ(play(paths, 8), play(paths, 1));
  EXPECT_EQ(play(subtraction, 8), play(subtraction, 1));
}

TEST_P(SearchPending, EveryVisitIsAccountedFor) {
  const Paths game({.players = 2, .num_actions = 12, .max_plies = 40});
  for (int seed = 0; seed < 40; ++seed) {
    Search<Paths> search(game, with(GetParam()), 400);
    HashEvaluator<Paths> evaluate(game, 0.5 + seed % 5);
    Random random(static_cast<std::uint64_t>(seed));
    Juggler<Paths> juggler(search, evaluate, static_cast<std::uint64_t>(seed));
    const int pending = 1 + seed % 17;
    juggler.run({.visits = 400, .explore = seed % 2 == 0, .pending = pending}, random);
    EXPECT_EQ(search.simulations(), 400);
    EXPECT_EQ(search.root_visits(), 400);
    EXPECT_LE(juggler.most, static_cast<std::size_t>(pending));
    check_search(search, evaluate);
  }
}

// A batch is filled: the root's candidates of one phase are pending side by side, and PUCT turns away from what is
// pending already.
TEST_P(SearchPending, LeavesGoSideBySide) {
  const Paths game({.num_actions = 40, .max_plies = 60});
  Search<Paths> search(game, with(GetParam()), 800);
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  search.begin({.visits = 800, .explore = true, .pending = 16}, random);
  int batches = 0, leaves = 0;
  for (std::vector<int> tickets;;) {
    const SearchStep step = search.step();
    if (step == SearchStep::done) break;
    if (step == SearchStep::evaluate) {
      tickets.push_back(search.ticket());
      continue;
    }
    ASSERT_FALSE(tickets.empty());
    if (batches == 1 && GetParam() == "gumbel") {
      EXPECT_EQ(tickets.size(), 16u);  // right after the root's own evaluation
    }
    ++batches;
    leaves += static_cast<int>(tickets.size());
    for (const int ticket : tickets) search.supply(ticket, evaluate(search.leaf(ticket)));
    tickets.clear();
  }
  EXPECT_EQ(leaves, 801);
  EXPECT_GT(static_cast<double>(leaves) / batches, GetParam() == "gumbel" ? 10.0 : 5.0);
}

TEST(SearchGumbel, AHalvingWaitsForWhatItChoosesBy) {
  const Paths game({.num_actions = 30});
  SearchConfig config = with("gumbel");
  config.gumbel_considered = 4;
  for (int seed = 0; seed < 20; ++seed) {
    Search<Paths> search(game, config, 16);
    HashEvaluator<Paths> evaluate(game);
    Random random(static_cast<std::uint64_t>(seed));
    Juggler<Paths> juggler(search, evaluate, static_cast<std::uint64_t>(seed));
    juggler.run({.visits = 16, .explore = true, .pending = 16}, random);
    std::vector<int> visits;
    for (const ActionStatistics& entry : search.statistics()) visits.push_back(entry.visits);
    visits.resize(5);
    EXPECT_EQ(visits, (std::vector<int>{6, 6, 2, 2, 0}));
  }
}

TEST_P(SearchPending, ProofsAgreeWithTheFullTree) {
  int proven = 0;
  for (const char* const name : {"quoridor:3x3,walls=1,max_plies=12", "quoridor:3x3,walls=1,max_plies=7"}) {
    const auto game = std::get<WallGame>(parse_game(name));
    FullTree<WallGame> full(game, true);
    Random random(9);
    for (int round = 0; round < 30; ++round) {
      Position<WallGame> position(game);
      for (int ply = 0; ply < 2 + round % 4; ++ply) {
        Position<WallGame> next = position;
        next.apply(game, game.random_legal_action(position.state, random));
        if (game.outcome(next.state, next.history).over()) break;
        position = next;
      }
      Search<WallGame> search(game, with(GetParam()), 200);
      HashEvaluator<WallGame> evaluate(game);
      search.reset(position);
      Juggler<WallGame> juggler(search, evaluate, static_cast<std::uint64_t>(round));
      juggler.run({.visits = 200, .explore = true, .pending = 8}, random);
      check_search(search, evaluate);
      const Solution truth = full.solution(position);
      for (const ActionStatistics& entry : search.statistics()) {
        if (!entry.proven) continue;
        ++proven;
        const SolvedAction& solved = *std::ranges::find(truth.actions, entry.action, &SolvedAction::action);
        EXPECT_EQ(entry.value, (static_cast<float>(solved.value) + 1) / 2) << name;
      }
    }
  }
  EXPECT_GT(proven, 50);
}

// What is pending when a search is left or a move is played is forgotten, and the tree is in order again.
TEST_P(SearchPending, AbandonedLeavesLeaveNothingBehind) {
  const Paths game({.num_actions = 10});
  Search<Paths> search(game, with(GetParam()), 200);
  HashEvaluator<Paths> evaluate(game);
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    search.begin({.visits = 200, .explore = true, .pending = 12}, random);
    std::vector<int> tickets;
    for (int i = 0; i < 40; ++i) {
      const SearchStep step = search.step();
      ASSERT_NE(step, SearchStep::done);
      if (step == SearchStep::evaluate) tickets.push_back(search.ticket());
      if (step == SearchStep::evaluate && random.chance(0.7)) continue;
      search.supply(tickets.front(), evaluate(search.leaf(tickets.front())));
      tickets.erase(tickets.begin());
    }
    if (round % 3 == 1) {
      search.play(search.best_action());
    } else {
      search.begin({.visits = 200}, random);
    }
    if (game.outcome(search.position().state, search.position().history).over() || round % 7 == 6) {
      search.reset(Position<Paths>(game));
    }
    for (NodeIndex node = 0; node < search.tree().size(); ++node) EXPECT_EQ(search.tree().node(node).held, 0);
  }
  run_search(search, {.visits = 50}, random, evaluate);
  EXPECT_GE(search.root_visits(), 50);
}

// A leaf that was handed out and never supplied looks like no loss to the searches that follow in the same tree.
TEST_P(SearchPending, AnAbandonedLeafIsSearchedLater) {
  const TicTacToe game;
  for (const int pending : {1, 4}) {
    Search<TicTacToe> search(game, with(GetParam()), 500);
    UniformEvaluator<TicTacToe> evaluate(game);
    Random random(1);
    search.begin({.visits = 400, .pending = pending}, random);
    NodeIndex abandoned = kNoNode;
    while (abandoned == kNoNode) {
      ASSERT_EQ(search.step(), SearchStep::evaluate);
      if (search.leaf().ply == 2)
        abandoned = static_cast<NodeIndex>(search.tree().size() - 1);
      else
        search.supply(evaluate(search.leaf()));
    }
    search.abandon_leaves();
    run_search(search, {.visits = 400, .pending = pending}, random, evaluate);
    EXPECT_GT(search.tree().node(abandoned).visits, 0u);
  }
}

// Each pending leaf holds one visit of its path, and the search waits where it comes to one.
TEST_P(SearchPending, WaitsAtAPendingLeaf) {
  const Paths game({.num_actions = 6, .max_plies = 40});
  constexpr int kPending = 12;
  Search<Paths> search(game, with(GetParam()), 300);
  HashEvaluator<Paths> evaluate(game, 4.0);
  Random random(1);
  search.begin({.visits = 300, .pending = kPending}, random);
  std::vector<int> tickets;
  int waits_with_room = 0;
  for (SearchStep step = search.step(); step != SearchStep::done; step = search.step()) {
    if (step == SearchStep::evaluate) {
      tickets.push_back(search.ticket());
      continue;
    }
    if (tickets.size() < kPending && search.simulations() < 200) ++waits_with_room;
    EXPECT_EQ(search.tree().root().held, tickets.size());
    search.supply(tickets.front(), evaluate(search.leaf(tickets.front())));
    tickets.erase(tickets.begin());
  }
  EXPECT_EQ(search.root_visits(), 300);
  EXPECT_GT(waits_with_room, 0);
}

// A stop lets what is pending come in, and hands out no more.
TEST_P(SearchPending, AStopWaitsForThePendingLeaves) {
  const Paths game;
  std::atomic<bool> stop = false;
  Search<Paths> search(game, with(GetParam()), 64);
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  search.begin({.visits = 0, .stop = &stop, .pending = 4}, random);
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  EXPECT_EQ(search.step(), SearchStep::waiting);  // the root alone
  search.supply(evaluate(search.leaf()));
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  const int first = search.ticket();
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  const int second = search.ticket();
  stop = true;
  EXPECT_EQ(search.step(), SearchStep::waiting);
  search.supply(second, evaluate(search.leaf(second)));
  EXPECT_EQ(search.step(), SearchStep::waiting);
  search.supply(first, evaluate(search.leaf(first)));
  EXPECT_EQ(search.step(), SearchStep::done);
  EXPECT_EQ(search.simulations(), 2);
}

}  // namespace
}  // namespace koridor
