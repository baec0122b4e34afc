// When a search ends: by the clock, by a stop, by proof; and how sequential halving plans without a number of visits.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "core/base/elapsed.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Paths;
using toy::Subtraction;

class SearchLimit : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchLimit, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

// Searches until the evaluator has been called so often, then raises the stop.
template <Game G>
void search_until(Search<G>& search, int calls, HashEvaluator<G>& evaluate) {
  std::atomic<bool> stop = false;
  Random random(3);
  search.begin({.visits = 0, .stop = &stop}, random);
  while (search.step() == SearchStep::evaluate) {
    search.supply(evaluate(search.leaf()));
    if (evaluate.calls >= calls) stop = true;
    ASSERT_LE(evaluate.calls, calls);
  }
}

TEST_P(SearchLimit, AStopEndsIt) {
  const Paths game;
  for (const int calls : {1, 2, 63, 64, 500}) {
    Search<Paths> search(game, with(GetParam()), 64);
    HashEvaluator<Paths> evaluate(game);
    search_until(search, calls, evaluate);
    EXPECT_EQ(evaluate.calls, calls);
    EXPECT_EQ(search.simulations(), calls - 1);
    ActionMask actions;
    game.legal_actions(search.position().state, search.position().history, actions);
    EXPECT_TRUE(actions.test(search.best_action()));
    std::vector<PolicyEntry> policy;
    search.policy_target(policy);
    EXPECT_FALSE(policy.empty());
  }
}

TEST_P(SearchLimit, AStopRaisedBeforehandLeavesTheRootsEvaluation) {
  const Paths game;
  const std::atomic<bool> stop = true;
  Search<Paths> search(game, with(GetParam()), 64);
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 100, .stop = &stop}, random, evaluate);
  EXPECT_EQ(evaluate.calls, 1);
  EXPECT_EQ(search.simulations(), 0);
  EXPECT_EQ(search.best_action(), search.statistics().front().action);  // the highest prior
}

TEST_P(SearchLimit, TheClockEndsIt) {
  const Paths game;
  for (const int visits : {0, 2'000'000'000}) {
    Search<Paths> search(game, with(GetParam()), 64);
    HashEvaluator<Paths> evaluate(game);
    Random random(3);
    double limit = 0.02;
    do {  // a busy machine may let this thread wait for longer than the limit
      const auto begin = std::chrono::steady_clock::now();
      run_search(search, {.visits = visits, .seconds = limit}, random, evaluate);
      const double seconds = seconds_since(begin);
      EXPECT_GE(seconds, limit);
      EXPECT_LT(seconds, 10.0);
      limit *= 2;
    } while (search.simulations() == 0 && limit < 1);
    EXPECT_GT(search.simulations(), 0);
  }
}

TEST_P(SearchLimit, TheFirstLimitCounts) {
  const Paths game;
  const std::atomic<bool> stop = false;
  Search<Paths> search(game, with(GetParam()), 64);
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 50, .seconds = 1e6, .stop = &stop}, random, evaluate);
  EXPECT_EQ(search.simulations(), 50);
  search.reset(Position<Paths>(game));
  run_search(search, {.visits = 0}, random, evaluate);  // no limit at all
  EXPECT_EQ(search.simulations(), 1);
}

// What the last search left below the root saves PUCT simulations, unless all that are asked for are to be new.
TEST_P(SearchLimit, KeptSimulationsCountWhereTheyMay) {
  const Paths game;
  Search<Paths> search(game, with(GetParam()), 200);
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 200}, random, evaluate);
  search.play(search.best_action());
  const int kept = search.root_visits();
  ASSERT_GT(kept, 10);
  run_search(search, {.visits = kept + 10}, random, evaluate);
  EXPECT_EQ(search.simulations(), GetParam() == "puct" ? 10 : kept + 10);
  run_search(search, {.visits = 20, .count_kept = false}, random, evaluate);
  EXPECT_EQ(search.simulations(), 20);
}

TEST_P(SearchLimit, AProofEndsAnEndlessSearch) {
  const Subtraction game({.stones = 9});
  const std::atomic<bool> stop = false;
  Search<Subtraction> search(game, with(GetParam()), 64);
  HashEvaluator<Subtraction> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 0, .stop = &stop}, random, evaluate);
  EXPECT_TRUE(search.proven());
}

// A slow evaluator must not make the search overrun its time by many simulations.
TEST(SearchWatch, LooksAtTheClockAsOftenAsItMust) {
  SearchWatch watch;
  const auto wait = [](double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    while (seconds_since(begin) < seconds) {
    }
  };
  watch.start({.seconds = 0.03}, 1);
  int simulations = 0;
  const auto choice = [] { return ChoiceSoFar{}; };
  while (!watch.over(simulations, choice)) {
    wait(0.002);
    ++simulations;
  }
  EXPECT_LE(simulations, 16);
  EXPECT_GT(simulations, 0);
  EXPECT_TRUE(watch.over(simulations, choice));
  watch.start({.visits = 5}, 1);
  EXPECT_FALSE(watch.over(simulations, choice));
}

// Seconds that a search at the clock takes whose simulations take 1 ms each, one of them (negative: none) more.
double seconds_of(SearchWatch& watch, const GameClock& clock, int held_up_at, std::chrono::milliseconds held_up) {
  const auto begin = std::chrono::steady_clock::now();
  watch.start({.visits = 0, .clock = &clock}, 1);
  for (int simulations = 0; !watch.over(simulations, [] { return ChoiceSoFar{}; }); ++simulations) {
    std::this_thread::sleep_for(simulations == held_up_at ? held_up : std::chrono::milliseconds(1));
  }
  return seconds_since(begin);
}

// What has held the search up once may do so again, after its last simulation.
TEST(SearchWatch, LeavesTimeForWhatHasHeldItUp) {
  const GameClock clock(parse_time_control("1/move"));
  // A busy machine may hold up the test itself; hardly five times in a row.
  double first = 0;
  double second = 0;
  double undisturbed = 0;
  const auto right = [&] { return first < 0.75 && second < 0.75 && undisturbed > 0.75; };
  for (int attempt = 0; attempt < 5 && !right(); ++attempt) {
    SearchWatch watch;
    first = seconds_of(watch, clock, 3, std::chrono::milliseconds(300));  // 0.9 s less 0.3 s
    second = seconds_of(watch, clock, -1, {});                            // 0.9 s less 0.24 s
    SearchWatch other;
    undisturbed = seconds_of(other, clock, -1, {});
  }
  EXPECT_TRUE(right()) << first << " " << second << " " << undisturbed;
}

// What has held it up for longer than the time of an action leaves the next ones two thirds of theirs.
TEST(SearchWatch, ALongHoldUpLeavesTimeForTheNextActions) {
  const GameClock clock(parse_time_control("0.3/move"));  // of which 0.24 s are used
  double next = 0;
  for (int attempt = 0; attempt < 5 && next < 0.12; ++attempt) {
    SearchWatch watch;
    seconds_of(watch, clock, 3, std::chrono::milliseconds(1000));
    next = seconds_of(watch, clock, -1, {});
  }
  EXPECT_GE(next, 0.12);
}

TEST(SearchWatch, TellsHowManySimulationsAreLeft) {
  SearchWatch watch;
  watch.start({.visits = 5}, 1);
  EXPECT_EQ(watch.simulations_left(100), std::numeric_limits<double>::infinity());
  watch.start({.visits = 0, .seconds = 1000}, 1);
  EXPECT_EQ(watch.simulations_left(3), std::numeric_limits<double>::infinity());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(watch.simulations_left(1000), 1000.0);         // at most 1000 s for what took at most some seconds
  EXPECT_LT(watch.simulations_left(1000), 1000.0 / 2e-5);  // and took at least 20 ms
  watch.start({.visits = 0, .seconds = 1e-6}, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(watch.simulations_left(1000), 0.0);
  for (const auto& [control, known] : {std::pair("1000/move", true), std::pair("1000", false)}) {
    const GameClock clock(parse_time_control(control));
    watch.start({.visits = 0, .clock = &clock}, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(std::isfinite(watch.simulations_left(1000)), known) << control;
  }
}

TEST_P(SearchLimit, APlayersClockEndsIt) {
  const Paths game({.num_actions = 40});
  for (const char* control : {"0.05/move", "1+0.01", "0+3x0.05"}) {
    const GameClock clock(parse_time_control(control));
    int simulations = 0;
    // A busy machine may take the processor away for all of the time; hardly five times in a row.
    for (int attempt = 0; attempt < 5 && simulations <= 64; ++attempt) {
      Search<Paths> search(game, with(GetParam()));
      HashEvaluator<Paths> evaluate(game);
      Random random(3);
      const auto begin = std::chrono::steady_clock::now();
      run_search(search, {.visits = 0, .clock = &clock}, random, evaluate);
      EXPECT_LT(seconds_since(begin), 5.0);
      simulations = search.simulations();
    }
    EXPECT_GT(simulations, 64) << control;
  }
}

TEST_P(SearchLimit, AnEmptyClockLeavesTheRootsEvaluation) {
  const Paths game;
  const GameClock clock = GameClock::remaining(0);
  Search<Paths> search(game, with(GetParam()));
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 0, .clock = &clock}, random, evaluate);
  EXPECT_LE(evaluate.calls, 2);
}

TEST_P(SearchLimit, AtAClockTheOnlyActionIsPlayedAtOnce) {
  const Paths game({.num_actions = 1});
  const GameClock clock(parse_time_control("1000/move"));
  Search<Paths> search(game, with(GetParam()));
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 0, .clock = &clock}, random, evaluate);
  EXPECT_LE(search.simulations(), 1);
}

// ChoiceSoFar::lead: before so many more simulations no other action is chosen.
TEST_P(SearchLimit, AChoiceStaysForAsLongAsItIsSaidTo) {
  int promised = 0;
  for (int seed = 0; seed < 5; ++seed) {
    const Paths game({.num_actions = 12 + seed});
    const std::atomic<bool> stop = false;
    Search<Paths> search(game, with(GetParam()));
    HashEvaluator<Paths> evaluate(game, 1.0);
    Random random(static_cast<std::uint64_t>(seed));
    search.begin({.visits = 0, .stop = &stop}, random);
    Action kept = kNoAction;
    double until = 0;
    while (search.simulations() < 600 && search.step() == SearchStep::evaluate) {
      search.supply(evaluate(search.leaf()));
      if (search.simulations() == 0) continue;
      const ChoiceSoFar choice = search.choice();
      ASSERT_EQ(choice.best, search.best_action());
      if (search.simulations() < until) {
        ASSERT_EQ(choice.best, kept) << search.simulations() << " of " << until;
      }
      if (search.simulations() + choice.lead > until) {
        until = search.simulations() + choice.lead;
        kept = choice.best;
        if (choice.lead > 1) ++promised;
      }
    }
  }
  EXPECT_GT(promised, 10);
}

// Without a number of visits, sequential halving goes in stages of 64, 128, 256, ... simulations.
TEST(SearchGumbel, StagesAreHalvingsOfTheirOwn) {
  const Paths game({.num_actions = 40});
  const SearchConfig config = with("gumbel");
  Search<Paths> search(game, config, 64);
  HashEvaluator<Paths> evaluate(game);
  Random random(3);
  run_search(search, {.visits = 64}, random, evaluate);
  const std::string first_stage = print_tree(search.tree());
  const Action winner = search.best_action();
  run_search(search, {.visits = 128}, random, evaluate);  // the tree is kept, the budget is halved anew
  const std::string second_stage = print_tree(search.tree());
  const Action second_winner = search.best_action();

  const auto staged = [&](int simulations) {
    Search<Paths> endless(game, config, 64);
    HashEvaluator<Paths> fresh(game);
    search_until(endless, 1 + simulations, fresh);
    return std::pair(print_tree(endless.tree()), endless.best_action());
  };
  EXPECT_EQ(staged(64), std::pair(first_stage, winner));
  EXPECT_EQ(staged(64 + 128), std::pair(second_stage, second_winner));
  for (const int more : {1, 10, 31}) EXPECT_EQ(staged(64 + more).second, winner);  // 2 visits of each of 16 first
}

// The stage that the time ends is as long as the time: another choice may come until its end, not only until the first
// phase of one that is too long has begun.
TEST(SearchGumbel, TheLastStageTakesTheTimeThatIsLeft) {
  const Paths game({.num_actions = 40});
  const auto stage = [&](double left) {  // the simulations of the stage after the first, of 64
    Gumbel rule({.gumbel_considered = 8}, game.num_actions());
    Tree tree(0, 0);
    ActionMask actions;
    game.legal_actions(game.initial_state(), History(0), actions);
    tree.clear(0);
    tree.expand(Tree::kRoot, actions, 1.0f, [](Action action) { return 0.01f * index(action); });
    tree.backup({}, Tree::kRoot, {0.5, 0.5});
    rule.begin_root(tree, 0);
    const auto simulate = [&] {
      const Slot slot = rule.select_root(tree, true, [&] { return left; });
      const Action action = tree.action(tree.root(), slot);
      NodeIndex child = tree.child(tree.root(), slot);
      if (child == kNoNode) {
        tree.add_child(Tree::kRoot, slot, 1);
        child = static_cast<NodeIndex>(tree.size() - 1);
      }
      const PathStep step{Tree::kRoot, tree.find(tree.root(), action)};
      tree.backup({&step, 1}, child, {0.5, 0.5});
      rule.simulated();
    };
    for (int i = 0; i < 64; ++i) simulate();
    simulate();
    // The first phase is a third of a stage of eight actions.
    return 3 * static_cast<int>(rule.choice(tree).lead + 1);
  };
  EXPECT_NEAR(stage(std::numeric_limits<double>::infinity()), 128, 24);
  EXPECT_NEAR(stage(1000), 128, 24);
  EXPECT_NEAR(stage(240), 228, 24);
  EXPECT_NEAR(stage(100), 95, 24);
  EXPECT_NEAR(stage(5), 64, 24);
}

}  // namespace
}  // namespace koridor
