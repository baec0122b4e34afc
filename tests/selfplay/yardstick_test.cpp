// Players on sets of positions: all is kept by the solver, the expected share by a random player; what the figures of
// known answers are; a report whose parts add up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/files.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/matches/yardstick/report.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

class Yardstick : public testing::Test {
 protected:
  int kept(const std::string& name, int threads = 2, int rows = 8) const {
    const MatchPlayer player = load_player(name, 16, SearchConfig{});
    return count_kept(game_, player, set_.positions, options(threads, rows), kNeverStop);
  }
  static YardstickOptions options(int threads = 2, int rows = 8) {
    YardstickOptions options;
    options.threads = threads;
    options.batch.rows = rows;
    options.batch.evaluation.precision = "f32";  // by itself a model without a calibration is in bf16 where a CPU can
    return options;
  }

  AnyGame game_ = parse_game("quoridor:5x5,walls=1");
  AnySolver solver_ = solve_game(game_, {});
  YardstickSet set_ = draw_proven_set(game_, solver_, 400);
};

TEST_F(Yardstick, EveryPositionHasSomethingToLose) {
  const auto& game = std::get<wall::WallGame>(game_);
  const auto& solver = *std::get<std::shared_ptr<const wall::WallSolver>>(solver_);
  ASSERT_EQ(set_.positions.size(), 400u);
  for (const YardstickPosition& sampled : set_.positions) {
    Position<wall::WallGame> position(game);
    for (const Action action : sampled.actions) position.apply(game, action);
    const Solution solution = solver.solution(position);
    ASSERT_EQ(solution.actions.size(), sampled.known.size());
    EXPECT_LT(sampled.keeping(), static_cast<int>(sampled.known.size()));
    for (std::size_t i = 0; i < sampled.known.size(); ++i) {
      const bool best = std::ranges::find(solution.best, sampled.known[i].action) != solution.best.end();
      EXPECT_EQ(sampled.known[i].action, solution.actions[i].action);
      EXPECT_EQ(sampled.known[i].keeps, solution.actions[i].value == solution.value);
      EXPECT_FLOAT_EQ(sampled.known[i].target, best ? 1.0f / static_cast<float>(solution.best.size()) : 0.0f);
    }
  }
}

TEST_F(Yardstick, DependsOnGameAndSeedAlone) {
  EXPECT_EQ(draw_proven_set(game_, solver_, 400), set_);
  EXPECT_NE(draw_proven_set(game_, solver_, 400, 2).positions, set_.positions);
  const std::vector<YardstickPosition> fewer = draw_proven_set(game_, solver_, 50).positions;
  EXPECT_TRUE(std::ranges::equal(fewer, std::span(set_.positions).first(50)));
  EXPECT_EQ(kept("mcts:16", 1, 3), kept("mcts:16", 2, 8));
}

TEST_F(Yardstick, RanksPlayersByWhatTheyKnow) {
  EXPECT_EQ(kept("solver"), 400);
  const double luck = 400 * random_share(set_.positions);
  EXPECT_NEAR(kept("random"), luck, 4 * std::sqrt(400 * 0.25));
  EXPECT_GT(kept("alphabeta:3"), luck + 40);
  EXPECT_LT(kept("alphabeta:3"), 400);
}

TEST_F(Yardstick, TakesWhatThereIs) {
  const AnyGame tiny = parse_game("quoridor:3x3,walls=0");
  const YardstickSet all = draw_proven_set(tiny, solve_game(tiny, {}), 1000);
  EXPECT_GT(all.positions.size(), 0u);
  EXPECT_LT(all.positions.size(), 66u);
}

// The actions of one position win and lose together: a hundred values of ten positions say as much as ten.
TEST(YardstickFigures, AReliabilityIsAsSureAsThePositionsMakeIt) {
  YardstickSet set;
  set.proven = true;
  std::vector<YardstickAnswer> answers(10);
  set.positions.resize(10);
  for (std::size_t place = 0; place < 10; ++place) {
    for (std::uint16_t number = 0; number < 10; ++number) {
      set.positions[place].known.push_back({.action = Action{number}, .points = place < 5 ? 1.0f : 0.0f});
      answers[place].expected.push_back({Action{number}, 0.55f});
    }
  }
  const ReliabilityBin together = figures_of(set, answers).value->bins[5];
  EXPECT_EQ(together.count, 100);
  EXPECT_NEAR(together.error95, 1.96 * std::sqrt(0.25 / 10), 1e-3);
  // Where each position has both, single actions tell as much as they seem to.
  for (YardstickPosition& position : set.positions) {
    for (std::size_t number = 0; number < 10; ++number) position.known[number].points = number < 5 ? 1 : 0;
  }
  const Interval single = wilson_interval(0.5, 100);
  EXPECT_NEAR(figures_of(set, answers).value->bins[5].error95, (single.high - single.low) / 2, 1e-9);
}

// What follows from answers that are known: two positions of three actions each, of which some keep the value.
TEST(YardstickFigures, AreThoseOfTheFormulas) {
  const auto action = [](int number) { return Action{static_cast<std::uint16_t>(number)}; };
  YardstickSet set;
  set.positions.resize(2);
  set.positions[0].known = {{.action = action(1), .points = 1, .distance = 3},
                            {.action = action(2), .points = 1, .distance = 5},
                            {.action = action(3), .points = 0, .distance = 4}};
  set.positions[1].known = {{.action = action(4), .points = 0.5f}, {.action = action(5), .points = 0, .distance = 2}};
  for (YardstickPosition& position : set.positions) complete_proven(position);
  EXPECT_EQ(set.positions[0].keeping(), 2);
  EXPECT_EQ(set.positions[0].known[0].target, 1);  // the quickest of two
  EXPECT_EQ(set.positions[1].value, 0.5f);

  std::vector<YardstickAnswer> answers(2);
  answers[0] = {.action = action(2),
                .policy = {{action(1), 0.5f}, {action(2), 0.25f}, {action(3), 0.25f}},
                .expected = {{action(1), 0.92f}, {action(3), 0.25f}}};
  answers[1] = {
      .action = action(5), .policy = {{action(4), 0.5f}, {action(5), 0.5f}}, .expected = {{action(4), 0.95f}}};
  const YardstickFigures figures = figures_of(set, answers);
  EXPECT_EQ(figures.kept, 1);
  EXPECT_DOUBLE_EQ(figures.share(), 0.5);
  EXPECT_DOUBLE_EQ(figures.regret, 0.25);  // nothing, and a draw that became a loss
  ASSERT_TRUE(figures.policy && figures.value);
  EXPECT_NEAR(figures.policy->mass, (0.75 + 0.5) / 2, 1e-6);
  EXPECT_NEAR(figures.policy->cross_entropy, std::log(2.0), 1e-6);
  EXPECT_DOUBLE_EQ(figures.policy->floor, 0);
  EXPECT_EQ(figures.value->count, 3);
  EXPECT_NEAR(figures.value->brier, (0.0064 + 0.0625 + 0.2025) / 3, 1e-6);
  EXPECT_EQ(figures.value->bins[9].count, 2);
  EXPECT_NEAR(figures.value->bins[9].observed, 0.75, 1e-6);
  EXPECT_NEAR(figures.value->calibration_error, (0.25 + std::abs(1.5 - 1.87)) / 3, 1e-6);

  // Of a search: the only position that it lost, whose right action it saw, did not see, or saw and did not take.
  const auto cause = [&](int visits, float right) {
    answers[1].searched = {{.action = action(5), .visits = 3, .value = 0.6f},
                           {.action = action(4), .visits = visits, .value = right}};
    const LossCauses causes = causes_of(set, answers);
    EXPECT_EQ(causes.total(), 1);
    return causes.misjudged == 1 ? "misjudged" : causes.unseen == 1 ? "unseen" : "outvoted";
  };
  EXPECT_STREQ(cause(0, 0), "unseen");
  EXPECT_STREQ(cause(2, 0.5f), "misjudged");
  EXPECT_STREQ(cause(2, 0.7f), "outvoted");
}

TEST_F(Yardstick, AReportsPhasesAddUp) {
  const TemporaryFolder folder;
  const std::string model = folder.file("tiny.koridor");
  save_model(model, *test::tiny_model(game_));
  YardstickSet set = set_;
  set.positions.resize(60);
  const std::vector<int> visits = {2, 8};
  SearchConfig search = match_search();
  search.proven_walls = 0;  // or nothing would be lost
  const StrengthReport report = report_strength(set, {model, search}, visits, options(), kNeverStop);
  ASSERT_EQ(report.rows.size(), 4u);  // policy, value and two searches of a model that has no int8
  std::vector<std::string> names;
  for (const Phase& phase : report.phases) names.push_back(phase.name);
  EXPECT_EQ(names, (std::vector<std::string>{"opening", "1", "none"}));
  for (const StrengthRow& row : report.rows) {
    int positions = 0;
    int kept = 0;
    double regret = 0;
    for (const YardstickFigures& figures : row.phases) {
      positions += figures.positions;
      kept += figures.kept;
      regret += figures.regret * figures.positions;
    }
    EXPECT_EQ(positions, 60);
    EXPECT_EQ(kept, row.all.kept);
    EXPECT_NEAR(regret, row.all.regret * 60, 1e-9);
  }
  EXPECT_EQ(report.causes.total(), 60 - report.rows.back().all.kept);
  ASSERT_FALSE(report.losses.empty());
  EXPECT_TRUE(std::ranges::is_sorted(report.losses, std::ranges::greater{}, &StrengthLoss::share));
  EXPECT_THAT(report.words.back(), HasSubstr("The largest loss: " + report.losses.front().name));

  // A named player's model is asked in the same precisions, with its options.
  write_file_atomically(folder.file("players.toml"), "[mine]\nplayer = \"" + model + ",gumbel_considered=2\"\n");
  const std::string named = folder.file("players.toml") + ":mine";
  const StrengthReport same =
      report_strength(set, {named + ",gumbel_considered=8", search}, visits, options(), kNeverStop);
  ASSERT_EQ(same.rows.size(), report.rows.size());
  EXPECT_EQ(same.rows.back().all.kept, report.rows.back().all.kept);

  // The figures of the network are those of its raw policy, and a search's those of its row.
  const ModelFigures figures = measure_model(set, {model, search}, visits, options(1, 3), kNeverStop);
  ASSERT_TRUE(figures.network);
  EXPECT_EQ(figures.network->kept, report.rows[0].all.kept);
  EXPECT_EQ(figures.visits[1].second.kept, report.rows[3].all.kept);

  // A search that loses nothing has no worst phase.
  StrengthReport other = report;
  other.rows.back().all.kept = 59;
  explain(set, other);
  EXPECT_THAT(other.words[1], HasSubstr("By phase: most of them"));
  other.rows.back().all.kept = 60;
  explain(set, other);
  EXPECT_EQ(other.words[0], "At 8 visits all 60 choices keep the value.");
  EXPECT_THAT(other.words[1], HasSubstr("By visits:"));
}

// What a player says of its own search is measured once, and said.
TEST_F(Yardstick, VisitsOfAPlayersOwnAreOneRow) {
  const TemporaryFolder folder;
  const std::string model = folder.file("tiny.koridor");
  save_model(model, *test::tiny_model(game_));
  set_.positions.resize(10);
  const std::vector<int> visits = {1, 3, 8};
  const auto rows = [&](const std::string& player) {
    std::vector<int> searched;
    for (const auto& row : measure_model(set_, {player, match_search()}, visits, options(), kNeverStop).visits) {
      searched.push_back(row.first);
    }
    return searched;
  };
  EXPECT_EQ(rows(model), visits);
  EXPECT_EQ(rows("mcts"), visits);
  EXPECT_EQ(rows("mcts:5"), std::vector<int>{5});
  EXPECT_EQ(rows("mcts:1"), std::vector<int>{1});
  EXPECT_EQ(rows(model + ",visits=4"), std::vector<int>{4});
  EXPECT_EQ(rows(model + ",level=hard"), std::vector<int>{find_level("hard").strength.visits});
  EXPECT_EQ(rows(model + ",level=easy"), std::vector<int>{0});
  EXPECT_EQ(rows("solver"), std::vector<int>{0});
  EXPECT_THROW(rows(model + ",seconds=1"), UserError);
  EXPECT_THROW(rows("mcts,visits=5,seconds=1"), UserError);
  for (const char* own : {",visits=4", ",level=hard", ",seconds=1"}) {
    EXPECT_THROW(report_strength(set_, {model + own, match_search()}, visits, options(), kNeverStop), UserError) << own;
  }
}

// Of a board that is not solved: a model agrees with itself, and no other player does more often.
TEST(YardstickReference, IsAgreedWithByTheReferenceItself) {
  const TemporaryFolder folder;
  const AnyGame game = parse_game("quoridor:7x7,walls=2");
  const std::string model = folder.file("tiny.koridor");
  save_model(model, *test::tiny_model(game));
  YardstickOptions options;
  options.threads = 2;
  YardstickSet set = draw_open_set(game, 12);
  refer_to(set, {model, match_search()}, 24, options, kNeverStop);
  EXPECT_EQ(set.reference.visits, 24);
  EXPECT_EQ(set.reference.checksum.size(), 16u);
  const std::vector<int> visits = {24};
  const YardstickFigures own =
      measure_model(set, {model, match_search()}, visits, options, kNeverStop).visits[0].second;
  EXPECT_EQ(own.kept, 12);
  ASSERT_TRUE(own.value && own.policy);
  EXPECT_LT(own.value->brier, 1e-9);
  EXPECT_NEAR(own.policy->cross_entropy, own.policy->floor, 1e-5);
  const ModelFigures random = measure_model(set, {"random"}, visits, options, kNeverStop);
  EXPECT_LT(random.visits[0].second.kept, 6);
  EXPECT_EQ(random.visits[0].first, 0);
  EXPECT_THROW(refer_to(set, {"random"}, 1, options, kNeverStop), UserError);
}

}  // namespace
}  // namespace koridor
