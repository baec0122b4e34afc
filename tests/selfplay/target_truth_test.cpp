// How true games' results and searches' values are: figures of games whose truth is known.
#include "selfplay/matches/yardstick/target_truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kBoard = "quoridor:5x5,walls=1";

// A solved board, and shards of games on it.
class TargetTruthTest : public testing::Test {
 protected:
  // Games of which each ply is a proven best action or, by chance, any; of each three plies one is a cheap search.
  // Their results and the searches' values are proven, until a test changes them.
  ShardData games(int count, double any) const {
    const auto& game = std::get<wall::WallGame>(game_);
    const auto& solver = *std::get<std::shared_ptr<const wall::WallSolver>>(solver_);
    ShardData data;
    data.info.players = 2;
    for (int number = 0; number < count; ++number) {
      Random random(static_cast<std::uint64_t>(number));
      Position<wall::WallGame> position(game);
      const std::size_t first = data.ply_action.size();
      while (!game.outcome(position.state, position.history).over()) {
        const Solution solution = solver.solution(position);
        const auto pick = [&](const auto& from) {
          return from[static_cast<std::size_t>(random.below(static_cast<int>(from.size())))];
        };
        const Action action = random.chance(any) ? pick(solution.actions).action : pick(solution.best);
        const float points = points_of(solution.value);
        const bool one = game.player_to_move(position.state) == 0;
        data.ply_action.push_back(static_cast<std::uint16_t>(index(action)));
        data.ply_kind.push_back(static_cast<std::uint8_t>(data.plies() % 3 == 0 ? PlyKind::cheap : PlyKind::full));
        data.ply_value.push_back(one ? points : 1.0f - points);
        data.ply_value.push_back(one ? 1.0f - points : points);
        position.apply(game, action);
      }
      data.game_number.push_back(static_cast<std::uint32_t>(number));
      data.game_first_ply.push_back(static_cast<std::uint32_t>(first));
      data.game_plies.push_back(static_cast<std::uint16_t>(data.plies() - first));
      const Outcome outcome = game.outcome(position.state, position.history);
      data.game_outcome.push_back(outcome.values[0]);
      data.game_outcome.push_back(outcome.values[1]);
    }
    return data;
  }

  std::vector<TargetFigures> judge(const ShardData& data) const {
    TargetTruth truth(game_, solver_);
    truth.add(data);
    return truth.figures();
  }
  TargetFigures all(const ShardData& data) const { return judge(data).back(); }

  AnyGame game_ = parse_game(kBoard);
  AnySolver solver_ = solve_game(game_, {});
};

TEST_F(TargetTruthTest, BestPlayTeachesTheTruth) {
  const TargetFigures figures = all(games(10, 0));
  EXPECT_EQ(figures.phase, "all");
  EXPECT_GT(figures.positions(), 50);
  EXPECT_EQ(figures.right, figures.positions());
  EXPECT_EQ(figures.result_brier, 0);
  EXPECT_EQ(figures.value_brier, 0);
  EXPECT_EQ(figures.full.thrown + figures.cheap.thrown, 0);
}

TEST_F(TargetTruthTest, AnActionThatGivesTheValueAwayIsCountedOfItsKindOfSearch) {
  const ShardData data = games(40, 0.3);
  const TargetFigures figures = all(data);
  EXPECT_GT(figures.full.thrown, 0);
  EXPECT_GT(figures.cheap.thrown, 0);
  // A value falls for the mover with such an action, and with no other: the values that are stored here are proven.
  int thrown = 0;
  for (std::size_t game = 0; game < data.games(); ++game) {
    const std::size_t first = data.game_first_ply[game];
    for (std::size_t ply = 0; ply < data.game_plies[game]; ++ply) {
      const std::size_t seat = ply % 2;
      const bool last = ply + 1 == data.game_plies[game];
      const float after = last ? data.game_outcome[2 * game + seat] : data.ply_value[2 * (first + ply + 1) + seat];
      thrown += after < data.ply_value[2 * (first + ply) + seat] ? 1 : 0;
    }
  }
  EXPECT_EQ(figures.full.thrown + figures.cheap.thrown, thrown);
  EXPECT_EQ(figures.full.plies + figures.cheap.plies, static_cast<int>(data.plies()));
  EXPECT_LT(figures.right, figures.positions()) << "results after mistakes";
  EXPECT_EQ(figures.value_brier, 0);
  EXPECT_EQ(figures.best_share, 1) << "the values are the truth";
}

TEST_F(TargetTruthTest, TheBestMixtureIsTheOneWithTheLeastError) {
  ShardData data = games(40, 0.3);
  Random random(9);
  for (std::size_t row = 0; row < data.plies(); ++row) {
    float& value = data.ply_value[2 * row];
    value = 0.2f + 0.4f * value + 0.4f * static_cast<float>(random.uniform());
    data.ply_value[2 * row + 1] = 1.0f - value;
  }
  const TargetFigures figures = all(data);
  const auto error_at = [&](float share) {  // with the mixture in the place of the searches' values
    ShardData mixed = data;
    for (std::size_t game = 0; game < data.games(); ++game) {
      for (std::size_t i = 0; i < 2u * data.game_plies[game]; ++i) {
        float& value = mixed.ply_value[2 * data.game_first_ply[game] + i];
        value = share * value + (1 - share) * data.game_outcome[2 * game + i % 2];
      }
    }
    return all(mixed).value_brier;
  };
  EXPECT_GT(figures.best_share, 0.1);
  EXPECT_LT(figures.best_share, 0.9);
  const auto best = static_cast<float>(figures.best_share);
  EXPECT_NEAR(error_at(best), figures.mixture_brier, 1e-5);
  EXPECT_GT(error_at(best + 0.05f), figures.mixture_brier);
  EXPECT_GT(error_at(best - 0.05f), figures.mixture_brier);
  EXPECT_NEAR(error_at(0), figures.result_brier, 1e-5);
}

TEST_F(TargetTruthTest, PhasesAddUpOverAllShards) {
  TargetTruth truth(game_, solver_);
  truth.add(games(20, 0.3));
  truth.add(games(30, 0.6));
  const std::vector<TargetFigures> figures = truth.figures();
  ASSERT_EQ(figures.size(), 4u);  // both walls left, one, none, and all
  TargetFigures sum;
  int positions = 0;
  for (std::size_t i = 0; i + 1 < figures.size(); ++i) {
    positions += figures[i].positions();
    sum.right += figures[i].right;
    sum.full.thrown += figures[i].full.thrown;
    sum.cheap.plies += figures[i].cheap.plies;
    sum.result_brier += figures[i].result_brier * figures[i].positions();
  }
  EXPECT_EQ(positions, figures.back().positions());
  EXPECT_EQ(sum.right, figures.back().right);
  EXPECT_EQ(sum.full.thrown, figures.back().full.thrown);
  EXPECT_EQ(sum.cheap.plies, figures.back().cheap.plies);
  EXPECT_NEAR(sum.result_brier / positions, figures.back().result_brier, 1e-9);
}

TEST_F(TargetTruthTest, AnActionThatIsNotLegalIsNamed) {
  ShardData data = games(2, 0);
  data.ply_action[data.game_first_ply[1] + 2] = 65535;
  TargetTruth truth(game_, solver_);
  EXPECT_THAT([&] { truth.add(data); }, ThrowsMessage<UserError>(HasSubstr("ply 3 of game 1 is not legal")));
}

}  // namespace
}  // namespace koridor
