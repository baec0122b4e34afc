// The share of choices that keep the proven value: all for the solver, the expected share for a random player.
#include "selfplay/matches/yardstick.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

class Yardstick : public testing::Test {
 protected:
  int kept(const std::string& name, int threads = 2, int rows = 8) const {
    YardstickOptions options;
    options.threads = threads;
    options.batch.rows = rows;
    return count_kept(game_, load_player(name, 16, SearchConfig{}), positions_, options, kNeverStop);
  }

  AnyGame game_ = parse_game("quoridor:5x5,walls=1");
  AnySolver solver_ = solve_game(game_, {});
  std::vector<YardstickPosition> positions_ = yardstick_positions(game_, solver_, 400);
};

TEST_F(Yardstick, EveryPositionHasSomethingToLose) {
  const auto& game = std::get<wall::WallGame>(game_);
  const auto& solver = *std::get<std::shared_ptr<const wall::WallSolver>>(solver_);
  ASSERT_EQ(positions_.size(), 400u);
  for (const YardstickPosition& sampled : positions_) {
    Position<wall::WallGame> position(game);
    for (const Action action : sampled.actions) position.apply(game, action);
    const Solution solution = solver.solution(position);
    EXPECT_LT(sampled.keeping.count(), sampled.legal);
    EXPECT_EQ(static_cast<int>(solution.actions.size()), sampled.legal);
    for (const SolvedAction& solved : solution.actions) {
      EXPECT_EQ(sampled.keeping.test(solved.action), solved.value == solution.value);
    }
  }
}

TEST_F(Yardstick, DependsOnGameAndSeedAlone) {
  const std::vector<YardstickPosition> again = yardstick_positions(game_, solver_, 400);
  const std::vector<YardstickPosition> others = yardstick_positions(game_, solver_, 400, 2);
  const auto same = [&](const std::vector<YardstickPosition>& list) {
    return std::ranges::equal(positions_, list, {}, &YardstickPosition::actions, &YardstickPosition::actions);
  };
  EXPECT_TRUE(same(again));
  EXPECT_FALSE(same(others));
  EXPECT_EQ(kept("mcts:16", 1, 3), kept("mcts:16", 2, 8));
}

TEST_F(Yardstick, RanksPlayersByWhatTheyKnow) {
  EXPECT_EQ(kept("solver"), 400);
  const double luck = 400 * random_share(positions_);
  EXPECT_NEAR(kept("random"), luck, 4 * std::sqrt(400 * 0.25));
  EXPECT_GT(kept("alphabeta:3"), luck + 40);
  EXPECT_LT(kept("alphabeta:3"), 400);
}

TEST_F(Yardstick, TakesWhatThereIs) {
  const AnyGame tiny = parse_game("quoridor:3x3,walls=0");
  const std::vector<YardstickPosition> all = yardstick_positions(tiny, solve_game(tiny, {}), 1000);
  EXPECT_GT(all.size(), 0u);
  EXPECT_LT(all.size(), 66u);
}

}  // namespace
}  // namespace koridor
