#include "train/run/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "train/learner/random_shard.h"
#include "train/learner/replay_window.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"
#include "train/run/selfplay_figures.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

SelfplayFigures counts(std::uint64_t evaluations, std::uint64_t simulations, std::uint64_t positions) {
  SelfplayFigures figures;
  figures.games = figures.counted = 5;
  figures.evaluations = evaluations;
  figures.simulations = simulations;
  figures.positions = positions;
  return figures;
}

TEST(Cost, IsTheSumOfThreeKindsOfWork) {
  EXPECT_DOUBLE_EQ(cost_of({.evaluated = 30, .simulations = 8, .trained = 100}, {10, 4, 50}), 3 + 2 + 2);
  const Config config = parse_config("", "test", std::vector<std::string>{"run.game=\"quoridor:5x5,walls=3\""});
  const double products = multiply_adds_of(config).at(0);
  EXPECT_EQ(products, 1970288) << "as `koridor inspect` says of a model of this size";
  const Work work = work_of(config, std::vector{counts(1000, 1500, 60)}, 256);
  EXPECT_DOUBLE_EQ(work.evaluated, 1000 * products);
  EXPECT_DOUBLE_EQ(work.simulations, 1500);
  EXPECT_DOUBLE_EQ(work.trained, 256 * 3 * products);
  SelfplayFigures silent = counts(1, 1, 1);
  silent.counted = 4;
  EXPECT_THAT(error_of([&] { work_of(config, std::vector{silent}, 1); }), HasSubstr("older"));
}

TEST(Cost, EachBoardHasItsOwnMultiplyAdds) {
  const Config config = parse_config("[run]\ngames = [\"quoridor:3x3,walls=1\", \"quoridor:5x5,walls=3\"]\n", "test");
  const std::vector<double> products = multiply_adds_of(config);
  ASSERT_EQ(products.size(), 2u);
  EXPECT_LT(2 * products[0], products[1]);
  const Work work = work_of(config, std::vector{counts(10, 1, 30), counts(20, 1, 10)}, 40);
  EXPECT_DOUBLE_EQ(work.evaluated, 10 * products[0] + 20 * products[1]);
  EXPECT_DOUBLE_EQ(work.trained, 3 * (30 * products[0] + 10 * products[1]));
}

TEST(Cost, OfARunIsInItsMetrics) {
  const TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  const Config config = parse_config("", "test", std::vector<std::string>{"run.game=\"quoridor:3x3,walls=1\""});
  const auto write = [&](int generation, int steps) {
    write_json(run.metrics(generation),
               {{"steps", steps},
                {"batch", 32},
                {"selfplay", {{"games", 3}, {"positions", 9}, {"evaluations", 700}, {"simulations", 900}}}});
  };
  write(1, 10);
  write(2, 30);
  const double first = cost_of(work_of(config, std::vector{counts(700, 900, 9)}, 320));
  const double second = cost_of(work_of(config, std::vector{counts(700, 900, 9)}, 960));
  RunCost cost(run, config);
  EXPECT_EQ(cost.until(0), 0);
  EXPECT_DOUBLE_EQ(cost.until(2), first + second);
  EXPECT_DOUBLE_EQ(cost.until(1), first);
  EXPECT_THAT(error_of([&] { cost.until(3); }), HasSubstr("gen-0003.json"));
  write_json(run.metrics(3),
             {{"batch", 32}, {"selfplay", {{"games", 3}, {"positions", 9}, {"evaluations", 7}, {"simulations", 9}}}});
  EXPECT_THAT(error_of([&] { cost.until(3); }),
              HasSubstr("cost of generation 3 is not known: it does not say how many"));
}

// A run goes on though figures of an early generation are lost: its games are still there.
TEST(Cost, OfDamagedMetricsIsCountedFromTheGames) {
  const TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  const Config config = parse_config("", "test", std::vector<std::string>{"run.game=\"quoridor:3x3,walls=1\""});
  ShardData shard = random_shard(parse_game(config.run.game), 10, 1, config_hash(config));
  shard.game_simulations.assign(shard.games(), 70);
  shard.game_evaluations.assign(shard.games(), 50);
  SelfplayFigures figures;
  figures.add(shard);
  const double steps =
      std::ceil(static_cast<double>(figures.positions) * config.training.samples_per_position / config.training.batch);
  write_file_atomically(run.metrics(1), "{");
  EXPECT_THAT(error_of([&] { RunCost(run, config).until(1); }), HasSubstr("gen-0001.json"));
  write_shard((run.shards(0) / "0.h5").string(), shard);
  EXPECT_DOUBLE_EQ(RunCost(run, config).until(1),
                   cost_of(work_of(config, std::vector{figures}, steps * config.training.batch)));
}

// A trainer that could not read them wrote no figures of games that took their time all the same.
TEST(Cost, OfMetricsWithoutFiguresIsCountedFromTheGames) {
  const TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  const Config config = parse_config("", "test", std::vector<std::string>{"run.game=\"quoridor:3x3,walls=1\""});
  write_json(run.metrics(1), {{"steps", 10}, {"batch", 32}, {"selfplay", nlohmann::json::object()}});
  EXPECT_THAT(error_of([&] { RunCost(run, config).until(1); }),
              HasSubstr("gen-0001.json: it does not say what its games took; the cost of generation 1 is not known"));
  ShardData shard = random_shard(parse_game(config.run.game), 10, 1, config_hash(config));
  shard.game_simulations.assign(shard.games(), 70);
  shard.game_evaluations.assign(shard.games(), 50);
  write_shard((run.shards(0) / "0.h5").string(), shard);
  const double counted = RunCost(run, config).until(1);
  write_file_atomically(run.metrics(1), "{");
  EXPECT_DOUBLE_EQ(counted, RunCost(run, config).until(1)) << "as where the figures are damaged";
  EXPECT_GT(counted, 0);
  write_json(run.metrics(1), {{"steps", 0}, {"batch", 32}, {"selfplay", nlohmann::json::object()}});
  EXPECT_EQ(RunCost(run, config).until(1), 0) << "all games were damaged, and nothing was trained on";
}

// The trainer learns from what its window makes of the plies, which are not the full searches alone.
TEST(Cost, OfDamagedMetricsCountsTheSamplesOfTheWindow) {
  const TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  const std::vector<std::string> settings{"run.game=\"quoridor:3x3,walls=1\"", "training.batch=8",
                                          "training.samples_per_position=1", "training.cheap_share=0.5"};
  const Config config = parse_config("", "test", settings);
  const AnyGame game = parse_game(config.run.game);
  ShardData shard = random_shard(game, 20, 1, config_hash(config));
  shard.game_simulations.assign(shard.games(), 70);
  shard.game_evaluations.assign(shard.games(), 50);
  // Every other ply is of a cheap search, which has no policy; the policy of the others is one action.
  std::uint32_t policies = 0;
  for (std::size_t ply = 0; ply < shard.plies(); ++ply) {
    shard.policy_first[ply] = policies;
    if (ply % 2 == 0) {
      shard.ply_kind[ply] = static_cast<std::uint8_t>(PlyKind::cheap);
      shard.policy_count[ply] = 0;
    } else {
      shard.policy_action[policies++] = shard.policy_action[ply];
    }
  }
  shard.policy_action.resize(policies);
  shard.policy_probability.resize(policies);
  SelfplayFigures figures;
  figures.add(shard);
  const std::size_t samples = ReplayWindow({game}, config.features, config.training, "").add("0.h5", shard);
  ASSERT_GT(samples, figures.positions + 8);
  write_shard((run.shards(0) / "0.h5").string(), shard);
  write_file_atomically(run.metrics(1), "{");
  EXPECT_DOUBLE_EQ(RunCost(run, config).until(1),
                   cost_of(work_of(config, std::vector{figures}, steps_for(config.training, samples) * 8.0)));
}

TEST(Cost, IsReadWithItsUnit) {
  EXPECT_EQ(read_cost("600", "--budget"), 600);
  EXPECT_EQ(read_cost("90s", "--budget"), 90);
  EXPECT_EQ(read_cost("10m", "--budget"), 600);
  EXPECT_EQ(read_cost("1.5h", "--budget"), 5400);
  EXPECT_EQ(read_cost("2d", "--budget"), 172800);
  for (const char* wrong : {"", "m", "0", "-5m", "10x", "1 h", "nan", "5mm"}) {
    EXPECT_THAT(error_of([&] { read_cost(wrong, "--budget"); }), HasSubstr("--budget")) << wrong;
  }
  EXPECT_EQ(read_cost("1e15", "--budget"), kMostCost);
  for (const char* text : {"1e12d", "1e16"}) {
    EXPECT_THAT(error_of([&] { read_cost(text, "--budget"); }), HasSubstr("at most 1e15")) << text;
  }
}

}  // namespace
}  // namespace koridor
