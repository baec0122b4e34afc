// What callers rely on: budgets, reuse of the tree, noise, policy targets, determinism, and no allocation.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace {
std::atomic<long> allocations = 0;
}

// Counted for the test of allocations. Not inlined, or g++ 12 takes new and free for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace koridor {
namespace {

using toy::Paths;
using toy::Subtraction;
using toy::TicTacToe;

class SearchBehaviour : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchBehaviour, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

int edge_visits(const Tree& tree) {
  const EdgeView edges = tree.edges(tree.root());
  return static_cast<int>(std::accumulate(edges.visits, edges.visits + edges.visited, 0u));
}

TEST_P(SearchBehaviour, BudgetIsSpent) {
  const Paths game;
  for (const int visits : {1, 2, 3, 7, 64}) {
    Search<Paths> search(game, with(GetParam()), 64);
    HashEvaluator<Paths> evaluate(game);
    Random random(1);
    run_search(search, {visits, false}, random, evaluate);
    EXPECT_EQ(search.root_visits(), visits);
    EXPECT_EQ(edge_visits(search.tree()), visits);
    EXPECT_EQ(evaluate.calls, visits + 1);  // and the root's own
    ActionMask actions;
    game.legal_actions(search.position().state, search.position().history, actions);
    EXPECT_TRUE(actions.test(search.best_action()));
  }
}

TEST_P(SearchBehaviour, PlayKeepsTheSubtree) {
  const Paths game({.players = 3});
  Search<Paths> search(game, with(GetParam()), 200);
  HashEvaluator<Paths> evaluate(game);
  Random random(1);
  run_search(search, {200, false}, random, evaluate);
  const Action action = search.best_action();
  const Node& root = search.tree().root();
  const NodeIndex child = search.tree().child(root, search.tree().find(root, action));
  const int visits = static_cast<int>(search.tree().node(child).visits);
  const std::string below = print_tree(search.tree(), child);
  ASSERT_GT(visits, 20);
  search.play(action);
  EXPECT_EQ(print_tree(search.tree()), below);
  EXPECT_EQ(search.root_visits(), visits - 1);
  EXPECT_EQ(game.ply(search.position().state), 1);
  EXPECT_EQ(search.position().history.size(), 1u);

  evaluate.calls = 0;
  run_search(search, {200, false}, random, evaluate);
  const int expected = GetParam() == "puct" ? 200 - (visits - 1) : 200;  // Gumbel halves a whole budget
  EXPECT_EQ(evaluate.calls, expected);
  EXPECT_EQ(search.root_visits(), visits - 1 + expected);
  // Kept or not, at least one simulation.
  evaluate.calls = 0;
  run_search(search, {1, false}, random, evaluate);
  EXPECT_EQ(evaluate.calls, 1);
}

TEST_P(SearchBehaviour, PlayOfAnUnsearchedAction) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 20);
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(1);
  search.play(Action{4});
  search.play(Action{0});
  EXPECT_EQ(search.root_visits(), 0);
  run_search(search, {20, false}, random, evaluate);
  for (const ActionStatistics& entry : search.statistics()) {
    EXPECT_NE(entry.action, Action{4});
    EXPECT_NE(entry.action, Action{0});
  }
}

TEST_P(SearchBehaviour, SameRandomSameSearch) {
  const Paths game({.num_actions = 40});
  std::string first;
  for (int round = 0; round < 2; ++round) {
    Search<Paths> search(game, with(GetParam()), 100);
    HashEvaluator<Paths> evaluate(game);
    Random random(9);
    std::string record;
    for (int ply = 0; ply < 5; ++ply) {
      run_search(search, {100, true}, random, evaluate);
      record += print_tree(search.tree());
      search.play(search.sample_action(1.0, random));
    }
    if (round == 0) first = record;
    EXPECT_EQ(record, first);
  }
  Search<Paths> search(game, with(GetParam()), 100);
  HashEvaluator<Paths> evaluate(game);
  Random random(10);
  run_search(search, {100, true}, random, evaluate);
  EXPECT_NE(print_tree(search.tree()), first.substr(0, print_tree(search.tree()).size()));
}

TEST_P(SearchBehaviour, DrawsCountForEverybody) {
  const Paths game({.players = 3});
  Search<Paths> search(game, with(GetParam()), 10);
  Random random(1);
  Position<Paths> position(game);
  while (game.player_to_move(position.state) != 2) position.apply(game, Action{1});
  search.reset(position);
  search.begin({10, false}, random);
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  const std::vector<float> policy(7);
  const std::vector<float> value = {0.4f, 0.2f, 0.1f, 0.3f};  // the mover (2), then 0, then 1, draw
  search.supply({policy, value});
  const MeanValues& mean = search.tree().root().value;
  EXPECT_NEAR(mean[2], 0.5, 1e-6);
  EXPECT_NEAR(mean[0], 0.3, 1e-6);
  EXPECT_NEAR(mean[1], 0.2, 1e-6);
  EXPECT_EQ(mean[3], 0.0);
}

double sum(const std::vector<PolicyEntry>& policy) {
  double total = 0.0;
  for (const PolicyEntry& entry : policy) total += entry.probability;
  return total;
}

TEST_P(SearchBehaviour, PolicyTargetIsADistribution) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 60);
  HashEvaluator<TicTacToe> evaluate(game);
  Random random(4);
  std::vector<PolicyEntry> policy;
  for (int round = 0; round < 50; ++round) {
    search.reset(Position<TicTacToe>(game));
    while (!game.outcome(search.position().state, search.position().history).over()) {
      run_search(search, {1 + random.below(60), true}, random, evaluate);
      search.policy_target(policy);
      EXPECT_NEAR(sum(policy), 1.0, 1e-5);
      EXPECT_TRUE(std::is_sorted(policy.begin(), policy.end(),
                                 [](const auto& a, const auto& b) { return a.action < b.action; }));
      // Proven losses get nothing while there is anything else.
      const std::vector<ActionStatistics> statistics = search.statistics();
      const bool all_lost = std::all_of(statistics.begin(), statistics.end(),
                                        [](const auto& entry) { return entry.proven && entry.value == 0.0f; });
      for (const ActionStatistics& entry : statistics) {
        if (all_lost || !entry.proven || entry.value > 0.0f) continue;
        for (const PolicyEntry& target : policy) EXPECT_NE(target.action, entry.action);
        EXPECT_NE(search.best_action(), entry.action);
        EXPECT_NE(search.sample_action(1.0, random), entry.action);
      }
      search.play(search.sample_action(1.0, random));
    }
  }
}

// A player without visits has the network's policy, by whichever rule.
TEST_P(SearchBehaviour, PolicyTargetWithoutVisitsIsTheNetworks) {
  const Paths game;
  SearchConfig config = with(GetParam());
  config.policy_temperature = 1.8f;
  Search<Paths> search(game, config, 100);
  HashEvaluator<Paths> evaluate(game);
  Random random(4);
  search.begin({.visits = 1}, random);
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  search.supply(evaluate(search.leaf()));
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  const std::vector<ActionStatistics> statistics = search.statistics();
  ASSERT_EQ(policy.size(), statistics.size());
  for (const PolicyEntry& target : policy) {
    const auto entry = std::ranges::find(statistics, target.action, &ActionStatistics::action);
    ASSERT_NE(entry, statistics.end());
    EXPECT_NEAR(target.probability, entry->prior, 1e-5);
  }
}

TEST(SearchPuct, PolicyTargetIsTheShareOfVisits) {
  const Paths game;
  Search<Paths> search(game, with("puct"), 100);
  HashEvaluator<Paths> evaluate(game);
  Random random(4);
  run_search(search, {100, false}, random, evaluate);
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  for (const ActionStatistics& entry : search.statistics()) {
    for (const PolicyEntry& target : policy) {
      if (target.action == entry.action) {
        EXPECT_NEAR(target.probability, entry.visits / 100.0, 1e-6);
      }
    }
  }
  EXPECT_EQ(search.best_action(), search.statistics()[0].action);
}

TEST(SearchPuct, TemperatureShapesTheChoice) {
  const Paths game;
  Search<Paths> search(game, with("puct"), 50);
  HashEvaluator<Paths> evaluate(game, 1.0);
  Random random(4);
  run_search(search, {50, false}, random, evaluate);
  for (const double temperature : {0.5, 1.0}) {
    std::map<Action, double> expected, drawn;
    double total = 0.0;
    for (const ActionStatistics& entry : search.statistics()) {
      total += expected[entry.action] = std::pow(entry.visits, 1.0 / temperature);
    }
    for (int i = 0; i < 20000; ++i) drawn[search.sample_action(temperature, random)] += 1.0 / 20000;
    for (const auto& [action, weight] : expected) EXPECT_NEAR(drawn[action], weight / total, 0.02);
  }
  EXPECT_EQ(search.sample_action(0.0, random), search.best_action());
  EXPECT_EQ(search.sample_action(0.001, random), search.best_action());
}

// A temperature flattens what the search uses, and not what is said of the network.
TEST(SearchPuct, PriorsAreShownWithoutTheTemperature) {
  const Paths game({.num_actions = 5});
  HashEvaluator<Paths> evaluate(game);
  const auto shown = [&](float temperature) {
    SearchConfig config = with("puct");
    config.policy_temperature = temperature;
    Search<Paths> search(game, config, 1);
    Random random(4);
    run_search(search, {1, false}, random, evaluate);
    std::map<Action, float> priors;
    for (const ActionStatistics& entry : search.statistics()) priors[entry.action] = entry.prior;
    return priors;
  };
  const std::map<Action, float> network = shown(1.0f);
  for (const auto& [action, prior] : shown(3.0f)) EXPECT_NEAR(prior, network.at(action), 1e-5);
}

// The root's priors with noise have the mean (1 - f) P + f / n; its own priors are shown and learned from.
TEST(SearchPuct, NoiseHasItsMean) {
  const Paths game({.num_actions = 5});
  const SearchConfig config = with("puct");
  Search<Paths> search(game, config, 1);
  HashEvaluator<Paths> evaluate(game);
  Random random(4);
  run_search(search, {1, false}, random, evaluate);
  std::map<Action, double> clean, noisy, spread;
  for (const ActionStatistics& entry : search.statistics()) clean[entry.action] = entry.prior;
  const int rounds = 5000;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) search.reset(Position<Paths>(game));
    run_search(search, {1, true}, random, evaluate);
    const Node& root = search.tree().root();
    for (Slot slot = 0; slot < root.edges; ++slot) {
      const double prior = search.tree().prior(root, slot);
      noisy[search.tree().action(root, slot)] += prior / rounds;
      spread[search.tree().action(root, slot)] += std::abs(prior - clean[search.tree().action(root, slot)]) / rounds;
    }
    for (const ActionStatistics& entry : search.statistics()) EXPECT_EQ(entry.prior, clean[entry.action]);
  }
  for (const auto& [action, prior] : clean) {
    EXPECT_NEAR(noisy[action], 0.75 * prior + 0.25 * 0.2, 0.005);
    EXPECT_GT(spread[action], 0.01);
  }
  // Without exploration the noise is gone.
  run_search(search, {5, false}, random, evaluate);
  const Node& root = search.tree().root();
  for (Slot slot = 0; slot < root.edges; ++slot) {
    EXPECT_EQ(search.tree().prior(root, slot), clean[search.tree().action(root, slot)]);
  }
}

// With a single simulation Gumbel draws from the policy (the Gumbel-max trick).
TEST(SearchGumbel, NoiseDrawsFromThePolicy) {
  const Paths game({.num_actions = 5});
  Search<Paths> search(game, with("gumbel"), 1);
  HashEvaluator<Paths> evaluate(game, 1.0);
  Random random(4);
  std::map<Action, double> drawn;
  const int rounds = 10000;
  for (int round = 0; round < rounds; ++round) {
    search.reset(Position<Paths>(game));
    run_search(search, {1, true}, random, evaluate);
    drawn[search.best_action()] += 1.0 / rounds;
    EXPECT_EQ(search.sample_action(1.0, random), search.best_action());
  }
  for (const ActionStatistics& entry : search.statistics()) EXPECT_NEAR(drawn[entry.action], entry.prior, 0.02);
}

TEST(SearchGumbel, VisitsFollowTheTable) {
  const Paths game({.num_actions = 30});
  SearchConfig config = with("gumbel");
  config.gumbel_considered = 4;
  Search<Paths> search(game, config, 16);
  HashEvaluator<Paths> evaluate(game);
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    search.reset(Position<Paths>(game));
    run_search(search, {16, true}, random, evaluate);
    const std::vector<ActionStatistics> statistics = search.statistics();
    std::vector<int> visits;
    for (const ActionStatistics& entry : statistics) visits.push_back(entry.visits);
    visits.resize(5);
    EXPECT_EQ(visits, (std::vector<int>{6, 6, 2, 2, 0}));
    EXPECT_TRUE(search.best_action() == statistics[0].action || search.best_action() == statistics[1].action);
  }
}

// The target against the paper's formula, computed from the statistics alone.
TEST(SearchGumbel, PolicyTargetIsItsFormula) {
  const Paths game;
  SearchConfig config = with("gumbel");
  config.gumbel_considered = 3;
  config.gumbel_c_scale = 0.2f;
  Search<Paths> search(game, config, 20);
  HashEvaluator<Paths> evaluate(game);
  Random random(4);
  run_search(search, {20, true}, random, evaluate);
  const std::vector<ActionStatistics> statistics = search.statistics();
  const Prediction prediction = evaluate(search.position().state);
  const double own = prediction.value[0] + prediction.value[2] / 2;
  double visits = 0.0, most = 0.0, prior = 0.0, weighted = 0.0;
  for (const ActionStatistics& entry : statistics) {
    if (entry.visits == 0) continue;
    visits += entry.visits;
    most = std::max<double>(most, entry.visits);
    prior += entry.prior;
    weighted += entry.prior * entry.value;
  }
  EXPECT_EQ(visits, 20.0);
  const double mixed = (own + visits * weighted / prior) / (1.0 + visits);
  std::map<Action, double> expected;
  double total = 0.0;
  for (const ActionStatistics& entry : statistics) {
    const double q = entry.visits > 0 ? entry.value : mixed;
    total += expected[entry.action] = std::exp(std::log(entry.prior) + (50.0 + most) * 0.2 * q);
  }
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  ASSERT_EQ(policy.size(), 7u);
  for (const PolicyEntry& entry : policy) EXPECT_NEAR(entry.probability, expected[entry.action] / total, 1e-5);
}

TEST_P(SearchBehaviour, NoAllocationAfterTheFirstGame) {
  const Paths game({.num_actions = 60, .max_plies = 30, .looks_back = false});
  for (const int transpositions : {0, 16}) {
    SearchConfig config = with(GetParam());
    config.transposition_visits = transpositions;
    Search<Paths> search(game, config, 100);
    HashEvaluator<Paths> evaluate(game);
    std::vector<PolicyEntry> policy;
    policy.reserve(60);
    const Position<Paths> start(game);
    Random random(1);
    const std::size_t memory = search.memory_bytes();  // the tree's is not got by `new`
    const long before = allocations;
    for (int round = 0; round < 3; ++round) {
      search.reset(start);
      while (!game.outcome(search.position().state, search.position().history).over()) {
        run_search(search, {random.chance(0.5) ? 100 : 20, random.chance(0.5)}, random, evaluate);
        search.policy_target(policy);
        EXPECT_GT(search.root_value()[0], 0.0f);
        search.play(search.sample_action(0.7, random));
      }
    }
    EXPECT_EQ(allocations, before) << transpositions;
    EXPECT_EQ(search.memory_bytes(), memory) << transpositions;
  }
}

// Gumbel keeps visits beside a whole new budget each time: the tree is bounded all the same, and the game goes on.
TEST_P(SearchBehaviour, TreeStaysWithinItsRoom) {
  const Paths game({.num_actions = 2, .max_plies = 300});
  SearchConfig config = with(GetParam());
  Search<Paths> search(game, config, 50);
  HashEvaluator<Paths> evaluate(game, 6.0);
  Random random(1);
  const std::size_t memory = search.memory_bytes();
  std::size_t largest = 0;
  for (int ply = 0; ply < 250; ++ply) {
    run_search(search, {50, false}, random, evaluate);
    EXPECT_GE(search.root_visits(), 50);
    largest = std::max(largest, search.tree().size());
    EXPECT_LE(search.tree().size(), 102u);
    search.play(search.best_action());
    EXPECT_LE(search.tree().size(), 51u);
  }
  EXPECT_EQ(search.memory_bytes(), memory);
  EXPECT_GT(largest, 50u);
}

// A search left in the middle can be taken up by another.
TEST_P(SearchBehaviour, AbandonedSearch) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 30);
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(1);
  search.begin({30, true}, random);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(search.step(), SearchStep::evaluate);
    if (i < 4) search.supply(evaluate(search.leaf()));
  }
  run_search(search, {30, true}, random, evaluate);
  EXPECT_GE(search.root_visits(), 30);
  search.play(search.best_action());
  run_search(search, {30, true}, random, evaluate);
  EXPECT_GE(search.root_visits(), 30);
}

// Whole trees as they were when this test was written: they change when behaviour is meant to.
TEST(SearchGolden, Trees) {
  const Subtraction game({.stones = 9});
  const char* const puct = R"(root n=15 v=0.5761 0.4239
.0 n=8 v=0.5950 0.4050
..0 n=4 v=0.6198 0.3802
...1 n=2 v=0.6223 0.3777
....0 n=1 v=0.7184 0.2816
...2 n=1 v=0.4922 0.5078
..1 n=1 v=0.4472 0.5528
..2 n=2 v=0.6076 0.3924
...1 n=1 v=0.6282 0.3718
.1 n=3 v=0.5639 0.4361
..0 n=1 v=0.4472 0.5528
..2 n=1 v=0.7150 0.2850
.2 n=3 v=0.6010 0.3990
..0 n=2 v=0.6076 0.3924
...1 n=1 v=0.6282 0.3718
)";
  const char* const gumbel = R"(root n=15 v=0.6152 0.3848
.0 n=6 v=0.6294 0.3706
..0 n=4 v=0.6426 0.3574
...1 n=3 v=0.6094 0.3906
....0 n=1 v=0.7184 0.2816
....1 n=1 v=0.5835 0.4165
..2 n=1 v=0.5871 0.4129
.1 n=2 v=0.4884 0.5116
..0 n=1 v=0.4472 0.5528
.2 n=6 v=0.6814 0.3186
..0 n=1 v=0.5871 0.4129
..1 n=4 v=0.7284 0.2716
...0 n=3 v=0.7329 0.2671
....1 n=2 v=1.0000 0.0000 proven in 1
.....0 n=1 v=1.0000 0.0000 proven in 0
)";
  for (const std::string& algorithm : SearchRules::names()) {
    SearchConfig config = with(algorithm);
    Search<Subtraction> search(game, config, 14);
    HashEvaluator<Subtraction> evaluate(game, 0.5);
    Random random(2);
    run_search(search, {14, false}, random, evaluate);
    EXPECT_EQ(print_tree(search.tree()), algorithm == "puct" ? puct : gumbel);
  }
}

}  // namespace
}  // namespace koridor
