// The search on the wall games themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/registry.h"
#include "core/search/rollout.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "tests/core/search_support.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using wall::WallGame;

Position<WallGame> after(const WallGame& game, const std::string& moves) {
  Position<WallGame> position(game);
  std::istringstream words(moves);
  for (std::string word; words >> word;) {
    const std::optional<Action> action = game.parse_action(position.state, position.history, word);
    if (!action) {
      ADD_FAILURE() << word << " is illegal";
      break;
    }
    position.apply(game, *action);
  }
  return position;
}

class SearchWall : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchWall, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(SearchWall, PlaysLegalGamesToTheEnd) {
  for (const char* const name :
       {"quoridor:5x5,walls=3", "quoridor:5x5,walls=3,repetition=3", "quoridor4:5x5,walls=2"}) {
    const WallGame game = wall::make_game(name);
    Search<WallGame> search(game, with(GetParam()), 40);
    HashEvaluator<WallGame> evaluate(game);
    Random random(3);
    for (int round = 0; round < 3; ++round) {
      search.reset(Position<WallGame>(game));
      while (!game.outcome(search.position().state, search.position().history).over()) {
        search.begin({40, true}, random);
        while (search.step() == SearchStep::evaluate) {
          // What is to be evaluated goes on, and its past is known.
          EXPECT_FALSE(game.outcome(search.leaf(), search.leaf_history()).over());
          EXPECT_EQ(search.leaf_history().size(), game.looks_back() ? game.ply(search.leaf()) : 0u);
          search.supply(evaluate(search.leaf()));
        }
        const Action action = search.sample_action(1.0, random);
        ActionMask actions;
        game.legal_actions(search.position().state, search.position().history, actions);
        ASSERT_TRUE(actions.test(action));
        search.play(action);
      }
      EXPECT_LE(game.ply(search.position().state), game.max_plies());
    }
  }
}

// In random positions the search proves what the exact solver proves, and no win is quicker than possible.
TEST_P(SearchWall, ProofsAgreeWithTheSolver) {
  for (const char* const name : {"quoridor:5x5,walls=2", "quoridor:5x5,walls=2,repetition=2",
                                 "pinko-pallino:4x5,walls=1", "quoridor:4x4,walls=2,max_plies=16"}) {
    const WallGame game = wall::make_game(name);
    const Solver<WallGame> solver(game, Position<WallGame>(game), {});
    Search<WallGame> search(game, with(GetParam()), 300);
    UniformEvaluator<WallGame> evaluate(game);
    Random random(9);
    int proven = 0;
    for (int round = 0; round < 60; ++round) {
      Position<WallGame> position(game);
      for (int ply = 0; ply < 4 + round % 9; ++ply) {
        Position<WallGame> next = position;
        next.apply(game, game.random_legal_action(position.state, random));
        if (game.outcome(next.state, next.history).over()) break;
        position = next;
      }
      search.reset(position);
      run_search(search, {300, true}, random, evaluate);
      const Solution truth = solver.solution(position);
      for (const ActionStatistics& entry : search.statistics()) {
        if (!entry.proven) continue;
        ++proven;
        const SolvedAction& solved = *std::ranges::find(truth.actions, entry.action, &SolvedAction::action);
        EXPECT_EQ(entry.value, (static_cast<float>(solved.value) + 1) / 2) << name;
        if (solved.value == Proof::win) {
          EXPECT_GE(entry.plies, solved.distance) << name;
        }
      }
    }
    EXPECT_GT(proven, 20) << name;
  }
}

TEST_P(SearchWall, WinsInOne) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=3");
  Search<WallGame> search(game, with(GetParam()), 100);
  UniformEvaluator<WallGame> evaluate(game);
  Random random(3);
  search.reset(after(game, "c4 b1 c3 a1 c2 b1"));
  run_search(search, {100, false}, random, evaluate);
  EXPECT_TRUE(search.proven());
  EXPECT_EQ(game.print_action(search.position().state, search.best_action()), "c1");
  EXPECT_LT(evaluate.calls, 100);
}

// Whatever the network says and however few the visits, a win in one is not overlooked; nor is a move after which the
// other wins in one taken for good.
TEST_P(SearchWall, SeesAWinInOneBeforeTheNetwork) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=3");
  Search<WallGame> search(game, with(GetParam()), 1);
  std::vector<float> policy(static_cast<std::size_t>(game.encoding({}).policy_size()), 0.0f);
  const std::vector<float> value = {0.1f, 0.9f, 0.0f};
  Random random(3);
  search.reset(after(game, "c4 b1 c3 a1 c2 b1"));
  const Action win = game.winning_action(search.position().state);
  ASSERT_EQ(game.print_action(search.position().state, win), "c1");
  policy[static_cast<std::size_t>(game.policy_index(search.position().state, 0, win))] = -50.0f;
  search.begin({1, true}, random);
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  search.supply({policy, value});
  ASSERT_EQ(search.step(), SearchStep::done);
  EXPECT_TRUE(search.proven());
  EXPECT_EQ(search.best_action(), win);
  EXPECT_EQ(search.root_value(), (Values{1.0f, 0.0f}));

  search.reset(after(game, "c4 b1 c3 a1 c2"));  // player two: any move but a wall in front of c2 loses at once
  search.begin({1, false}, random);
  ASSERT_EQ(search.step(), SearchStep::evaluate);
  search.supply({policy, value});
  ASSERT_EQ(search.step(), SearchStep::done);  // no evaluation: the move is seen to lose
  const ActionStatistics tried = search.statistics()[0];
  EXPECT_EQ(tried.visits, 1);
  EXPECT_TRUE(tried.proven);
  EXPECT_EQ(tried.value, 0.0f);
  EXPECT_EQ(tried.plies, 2);
}

TEST_P(SearchWall, WinsInTwo) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=0");
  Search<WallGame> search(game, with(GetParam()), 400);
  UniformEvaluator<WallGame> evaluate(game);
  Random random(3);
  search.reset(after(game, "c4 b1 c3 a1"));
  run_search(search, {400, false}, random, evaluate);
  EXPECT_TRUE(search.proven());
  EXPECT_EQ(game.print_action(search.position().state, search.best_action()), "c2");
  EXPECT_EQ(search.root_value()[0], 1.0f);
  search.play(search.best_action());
  run_search(search, {400, false}, random, evaluate);
  EXPECT_TRUE(search.proven());
  EXPECT_EQ(search.root_value()[0], 1.0f);
  search.play(search.best_action());
  run_search(search, {400, false}, random, evaluate);
  search.play(search.best_action());
  EXPECT_EQ(game.outcome(search.position().state, search.position().history).winner, 0);
}

// Player one is a step from its goal line: player two must wall it off.
TEST_P(SearchWall, StopsAWin) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=3");
  Search<WallGame> search(game, with(GetParam()), 600);
  UniformEvaluator<WallGame> evaluate(game);
  Random random(3);
  search.reset(after(game, "c4 b1 c3 a1 c2"));
  run_search(search, {600, false}, random, evaluate);
  ASSERT_FALSE(search.proven());
  search.play(search.best_action());
  ActionMask replies;
  game.legal_actions(search.position().state, search.position().history, replies);
  replies.for_each([&](Action reply) {
    Position<WallGame> next = search.position();
    next.apply(game, reply);
    EXPECT_FALSE(game.outcome(next.state, next.history).over()) << game.print_action(search.position().state, reply);
  });
}

TEST(SearchWallRollout, MonteCarloTreeSearchPlays) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=0");
  Search<WallGame> search(game, with("puct"), 100);
  RolloutEvaluator<WallGame> rollout(game, 1);
  Random random(3);
  search.reset(after(game, "c4 b1 c3 a1"));
  search.begin({100, false}, random);
  while (search.step() == SearchStep::evaluate) search.supply(rollout(search.leaf(), search.leaf_history(), random));
  EXPECT_EQ(game.print_action(search.position().state, search.best_action()), "c2");
}

}  // namespace
}  // namespace koridor
