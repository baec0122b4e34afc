#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/scale/files.h"
#include "bench/scale/run_rates.h"
#include "bench/scale/simulation.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "tests/temporary_folder.h"
#include "train/run/figure_lines.h"
#include "train/run/run_config.h"

namespace koridor::bench {
namespace {

// Files and models cost nothing.
ScaleRates easy_rates() {
  ScaleRates rates;
  rates.games_per_second = 10;
  rates.slots = 10;
  rates.load_seconds = 0;
  rates.operations_per_second = 1e12;
  rates.operation_seconds = 0;
  rates.bytes_per_second = 1e15;
  rates.positions_per_game = 10;
  rates.samples_per_second = 1e12;
  return rates;
}

ScalePlan plan_of(int games, int workers) {
  ScalePlan plan;
  plan.games = games;
  plan.workers = workers;
  plan.poll_seconds = 1e-6;
  return plan;
}

TEST(Scale, OneWorkerPlaysAtItsSpeedAndTheTrainerTakesItsTurn) {
  ScaleRates rates = easy_rates();
  const ScalePlan plan = plan_of(10000, 1);
  const ScaleFigures alone = simulate_scale(rates, plan);
  EXPECT_NEAR(alone.games_per_second, 10, 0.05);
  EXPECT_GT(alone.of_ideal, 0.995);
  // 10,000 games x 10 positions x 4 samples in 400 s beside 1,000 s of self-play.
  rates.samples_per_second = 1000;
  const ScaleFigures trained = simulate_scale(rates, plan);
  EXPECT_NEAR(trained.training, 400.0 / 1400, 0.005);
  EXPECT_NEAR(trained.waiting_for_model, 400.0 / 1400, 0.005);
  EXPECT_NEAR(trained.seconds, 1400, 7);
}

TEST(Scale, SharesOfTheTimeSumToOne) {
  ScaleRates rates = easy_rates();
  rates.samples_per_second = 5000;
  rates.load_seconds = 0.3;
  rates.operations_per_second = 2000;
  rates.operation_seconds = 1e-3;
  for (const ScaleMode mode : {ScaleMode::in_step, ScaleMode::at_once}) {
    for (const int workers : {1, 3, 50}) {
      ScalePlan plan = plan_of(1000, workers);
      plan.mode = mode;
      plan.poll_seconds = 0.1;
      const ScaleFigures figures = simulate_scale(rates, plan);
      EXPECT_NEAR(figures.of_ideal + figures.waiting_for_files + figures.draining + figures.waiting_for_model, 1, 1e-6)
          << workers;
      EXPECT_NEAR(figures.games_per_second, figures.of_ideal * workers * rates.games_per_second,
                  0.05 * figures.games_per_second)
          << workers;
    }
  }
}

TEST(Scale, WorkersAddUpWhereNothingIsScarce) {
  for (const ScaleMode mode : {ScaleMode::in_step, ScaleMode::at_once}) {
    ScalePlan plan = plan_of(20000, 16);
    plan.mode = mode;
    plan.poll_seconds = 0.01;
    EXPECT_GT(simulate_scale(easy_rates(), plan).of_ideal, 0.97);
  }
}

TEST(Scale, CoresThatAreSharedSlowTheWorkers) {
  ScalePlan plan = plan_of(20000, 4);
  plan.cores = 2;
  const ScaleFigures figures = simulate_scale(easy_rates(), plan);
  EXPECT_NEAR(figures.games_per_second, 20, 0.5);
}

TEST(Scale, TheTrainerLimitsARunAtOnceAndTurnsLimitOneInStepEarlier) {
  ScaleRates rates = easy_rates();
  rates.samples_per_second = 4000;  // 100 games per second
  ScalePlan plan = plan_of(1000, 40);
  plan.poll_seconds = 0.1;
  const ScaleFigures in_step = simulate_scale(rates, plan);
  plan.mode = ScaleMode::at_once;
  const ScaleFigures at_once = simulate_scale(rates, plan);
  EXPECT_NEAR(at_once.games_per_second, 100, 2);
  EXPECT_GT(at_once.training, 0.98);
  EXPECT_LT(in_step.games_per_second, 85);
  EXPECT_EQ(in_step.models_behind, 0);
  EXPECT_GT(at_once.models_behind, 0.5);
}

// A game is played with the model that its worker has when the game begins, and not when its number was taken.
TEST(Scale, AtOnceTheNextGamesAreOfTheNewestModel) {
  ScaleRates rates = easy_rates();
  rates.slots = 2;  // a game takes 0.2 s
  ScalePlan plan = plan_of(50, 1);
  plan.mode = ScaleMode::at_once;
  plan.generations = 20;
  const ScaleFigures figures = simulate_scale(rates, plan);
  EXPECT_NEAR(figures.seconds, 5, 0.2);
  EXPECT_GT(figures.models_behind, 0.01);
  EXPECT_LT(figures.models_behind, 0.25);
  EXPECT_NEAR(figures.model_bytes_per_second * figures.seconds, rates.model_bytes, 0.1 * rates.model_bytes);
}

// Every worker at play reads every model, so that models cost more than shards where there are many workers.
TEST(Scale, AtOnceEveryWorkerReadsEveryModelAndLooksForIt) {
  ScaleRates rates = easy_rates();
  ScalePlan plan = plan_of(8000, 40);
  plan.mode = ScaleMode::at_once;
  plan.poll_seconds = 1;
  plan.lease_games = 200;
  const ScaleFigures figures = simulate_scale(rates, plan);
  EXPECT_NEAR(figures.seconds, 20, 1);
  EXPECT_NEAR(figures.model_bytes_per_second * figures.seconds, 40 * rates.model_bytes, 2 * rates.model_bytes);
  const double looks = 8.0 / 20;  // per second
  const double leases = figures.games_per_second / plan.lease_games;
  const double of_a_lease = kTakeOperations + kShardOperations + kNoteOperations + 2;  // the last are the trainer's
  const double reads = 40 * 3.0 / 20;
  const double expected = leases * of_a_lease + 40 * (kHeartbeatOperations / 5 + kWatchOperations * looks) + reads;
  EXPECT_GT(40 * kWatchOperations * looks, 0.3 * expected);
  EXPECT_NEAR(figures.operations_per_second, expected, 0.1 * expected);
}

TEST(Scale, TooFewGamesOfAGenerationLeaveWorkersWithout) {
  ScalePlan plan = plan_of(400, 100);  // 50 leases
  const ScaleFigures figures = simulate_scale(easy_rates(), plan);
  EXPECT_LT(figures.of_ideal, 0.5);
}

TEST(Scale, ASlowFileSystemIsSeen) {
  ScaleRates rates = easy_rates();
  rates.operations_per_second = 100;
  ScalePlan plan = plan_of(10000, 64);
  plan.poll_seconds = 1;
  plan.mode = ScaleMode::at_once;
  const ScaleFigures figures = simulate_scale(rates, plan);
  EXPECT_GT(figures.files_busy, 0.9);
  EXPECT_GT(figures.waiting_for_files, 0.3);
  EXPECT_LT(figures.games_per_second,
            100.0 / (kTakeOperations + kShardOperations + kNoteOperations) * plan.lease_games);
}

// A process waits for its last look or beat before the next, so that those of many leave room for the games.
TEST(Scale, LooksAndBeatsTakeNoMoreThanHalfOfTheFileSystem) {
  ScaleRates rates = easy_rates();
  rates.operations_per_second = 100;  // and the beats of 400 workers ask for 160
  for (const ScaleMode mode : {ScaleMode::in_step, ScaleMode::at_once}) {
    ScalePlan plan = plan_of(100000, 400);
    plan.mode = mode;
    plan.lease_games = 256;
    plan.poll_seconds = 1;
    const ScaleFigures figures = simulate_scale(rates, plan);
    EXPECT_GT(figures.games_per_second, 150) << "half of 100 are four leases of 256 games per second";
    EXPECT_LT(figures.operations_per_second, 101);
  }
}

// A relay speaks for its rack: fewer models read, fewer operations, and every game still counts.
TEST(Scale, ARelayReadsEachModelOnceForItsRack) {
  ScaleRates rates = easy_rates();
  rates.samples_per_second = 20000;
  for (const ScaleMode mode : {ScaleMode::in_step, ScaleMode::at_once}) {
    ScalePlan plan = plan_of(2000, 64);
    plan.mode = mode;
    plan.poll_seconds = 0.1;
    const ScaleFigures without = simulate_scale(rates, plan);
    plan.relay = 16;
    const ScaleFigures with = simulate_scale(rates, plan);
    EXPECT_NEAR(with.model_bytes_per_second * with.seconds, 4 * rates.model_bytes, rates.model_bytes);
    EXPECT_GT(without.model_bytes_per_second * without.seconds, 60 * rates.model_bytes);
    EXPECT_LT(with.operations_per_second, 0.8 * without.operations_per_second);
    EXPECT_NEAR(with.games_per_second * with.seconds, plan.games, 0.05 * plan.games);
    EXPECT_LT(with.seconds, without.seconds + kRelaySeconds + 0.5) << "the last shards wait for a relay";
  }
}

TEST(Files, AreMeasuredAndLeaveNothing) {
  const TemporaryFolder folder;
  const FileSpeed speed = measure_files(folder.path(), 0.05);
  EXPECT_GT(speed.operations_per_second, 10);
  EXPECT_GT(speed.bytes_per_second, 1e4);
  EXPECT_LT(speed.operation_seconds, 0.1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(measure_files("/proc/nowhere", 0.05), UserError);
}

TEST(RunRates, AreTheMediansOfTheRun) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  EXPECT_THROW(rates_of_run(run), UserError);
  {
    std::ofstream lines(run.figures());
    lines << figure_line_text({{"generation", 0}});
    for (int generation = 1; generation <= 3; ++generation) {
      lines << figure_line_text({{"generation", generation},
                                 {"selfplay",
                                  {{"games", generation == 2 ? 300 : 100},
                                   {"plies", 40.0},
                                   {"positions", 1000},
                                   {"positions_per_second", 200.0 * generation}}},
                                 {"training", {{"samples_per_second", 1000.0 * generation}, {"new_positions", 2500}}}});
    }
  }
  std::filesystem::create_directories(run.shards(2));
  std::ofstream(run.shards(2) / "games.h5") << std::string(50000, 'x');
  std::filesystem::create_directories(run.model(3).parent_path());
  std::ofstream(run.model(3)) << std::string(1234, 'x');
  save_run_config(run, parse_config("", "test", std::vector<std::string>{}));
  EXPECT_THROW(rates_of_run(run), UserError) << "nobody has said how many slots a worker has";
  save_run_config(run, parse_config("", "test", std::vector<std::string>{"selfplay.slots=4", "run.threads=3"}));
  EXPECT_EQ(rates_of_run(run).slots, 12);
  write_json(run.status("slots-elsewhere-2-0"), {{"slots", 5}, {"threads", 2}});
  EXPECT_EQ(rates_of_run(run).slots, 10) << "of a worker that joined the run";
  write_json(run.slots(0), {{"slots", 3}, {"threads", 2}});
  const ScaleRates rates = rates_of_run(run);
  EXPECT_EQ(rates.slots, 6);
  EXPECT_DOUBLE_EQ(rates.games_per_second, 10);
  EXPECT_DOUBLE_EQ(rates.samples_per_second, 2000);
  EXPECT_DOUBLE_EQ(rates.positions_per_game, 25) << "with those of cheap searches, which are learned from as well";
  EXPECT_DOUBLE_EQ(rates.bytes_per_game, 500);
  EXPECT_DOUBLE_EQ(rates.model_bytes, 1234);
}

}  // namespace
}  // namespace koridor::bench
