// What the trainer makes of the files that it finds: after a stop, damaged, missing, of another build or configuration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/files.h"
#include "core/registry.h"
#include "models/network/model_file.h"
#include "selfplay/shards/shard.h"
#include "tests/error_of.h"
#include "tests/train/trainer_run.h"
#include "train/learner/checkpoint.h"
#include "train/learner/random_shard.h"
#include "train/learner/trainer.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TrainerFilesTest : public TrainerRuns {};

TEST_F(TrainerFilesTest, StoppedAndContinuedIsTheSameTraining) {
  const RunDirectory whole = make_run("whole", 2);
  train(whole);
  const RunDirectory parts = make_run("parts", 2);
  // A stop that is always set ends each sitting after a single step.
  const std::atomic<bool> at_once{true};
  int sittings = 0;
  while (train_run(parts.root(), 1, at_once) == TrainerEnd::stopped) {
    EXPECT_TRUE(fs::exists(parts.root() / "checkpoints" /
                           fmt::format("gen-{:04}.partial.pt", fs::exists(parts.model(1)) ? 2 : 1)));
    ASSERT_LT(++sittings, 200);
  }
  EXPECT_GT(sittings, 10);
  expect_same_model(whole.model(2), parts.model(2), 0.0f);
  // The metrics are of all steps of the generation, and not of those of the last sitting.
  const json metrics = json::parse(read_file(parts.metrics(2)));
  const json expected = json::parse(read_file(whole.metrics(2)));
  for (const char* key : {"loss", "policy_loss", "gradient_norm", "policy_entropy", "value_calibration_error"}) {
    EXPECT_NEAR(metrics[key].get<double>(), expected[key].get<double>(), 1e-9) << key;
  }
  const double samples = metrics["samples_per_second"].get<double>() * metrics["seconds"].get<double>();
  EXPECT_NEAR(samples, 16.0 * metrics["steps"].get<int>(), 1e-3);
  for (const auto& entry : fs::directory_iterator(parts.root() / "checkpoints")) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos);
  }
}

// Its loop moves a damaged shard aside and plays the games again, into a file of another name.
TEST_F(TrainerFilesTest, GamesThatArePlayedAgainInMidGenerationAreLearnedFrom) {
  const RunDirectory whole = make_run("whole", 2);
  train(whole);
  const RunDirectory parts = make_run("parts", 2);
  const std::atomic<bool> at_once{true};
  ASSERT_EQ(train_run(parts.root(), 1, at_once), TrainerEnd::stopped);
  const auto shard = shards_in(parts.shards(0)).back();
  fs::rename(shard, shard.parent_path() / "games-000000-009.h5");
  train(parts);
  expect_same_model(whole.model(2), parts.model(2), 0.0f);
}

TEST_F(TrainerFilesTest, ADamagedCheckpointFallsBackToTheOneBefore) {
  const RunDirectory run = make_run("run", 2);
  train(run);
  const RunDirectory other = make_run("other", 2);
  fs::remove_all(other.root());
  fs::copy(run.root(), other.root(), fs::copy_options::recursive);
  // As after a kill between checkpoint and model, with the checkpoint's disk block lost.
  fs::remove(other.model(2));
  write_file_atomically(other.checkpoint(2), read_file(other.checkpoint(2)).substr(0, 5000));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(other), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("damaged checkpoint " + other.checkpoint(2).string()),
            std::string::npos);
  expect_same_model(run.model(2), other.model(2));
}

TEST_F(TrainerFilesTest, GoesOnFromTheModelWhereNoCheckpointIsLeft) {
  const RunDirectory run = make_run("run", 1);
  train_until(run, 1);
  fs::remove_all(run.root() / "checkpoints");
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no checkpoint can be read"), std::string::npos);
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 4);
}

// Metrics are for people to look at.
TEST_F(TrainerFilesTest, DamagedMetricsEndNoTraining) {
  const RunDirectory run = make_run("run", 1, fmt::format("{}warmup_steps = 0\n", kTrainerConfig));
  train_until(run, 1);
  write_file_atomically(run.metrics(1), "{\"learning_rate\": 0.0");
  add_games(run, 1);
  EXPECT_EQ(train(run), TrainerEnd::finished);
}

// Nobody plays again what a model was made of, so that a state that waits for it would wait for ever.
TEST_F(TrainerFilesTest, PassesOverAStateWhoseGamesAreGone) {
  const RunDirectory run = make_run("run", 2);
  train(run);
  fs::remove(run.checkpoint(2));
  fs::remove_all(run.shards(1));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find(run.checkpoint(1).string() + ": the games that come after this state"), std::string::npos)
      << warnings;
  EXPECT_NE(warnings.find("going on from " + run.model(2).string()), std::string::npos) << warnings;
}

// Games that are not there any more are done without.
TEST_F(TrainerFilesTest, GoesOnWhereOldGamesAreGone) {
  const RunDirectory run = make_run("run", 1);
  train_until(run, 1);
  fs::remove_all(run.root() / "checkpoints");
  fs::remove_all(run.shards(0));
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no positions in " + run.shards(0).string()),
            std::string::npos);
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 2);
}

// What it started from is in that model, and need not be there any more.
TEST_F(TrainerFilesTest, GoesOnFromTheModelWithoutWhatItStartedFrom) {
  const RunDirectory before = make_run("before", 1);
  train_until(before, 1);
  const RunDirectory run =
      make_run("run", 1, fmt::format("{}start_from = \"{}\"\n", kTrainerConfig, before.model(1).string()));
  train_until(run, 1);
  fs::remove(before.model(1));
  fs::remove_all(run.root() / "checkpoints");
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no checkpoint can be read"), std::string::npos);
}

TEST_F(TrainerFilesTest, DamagedShardsAreNamedAndSkipped) {
  const RunDirectory run = make_run("run", 2);
  const fs::path damaged = run.shards(0) / "0.h5";
  write_file_atomically(damaged, read_file(damaged).substr(0, 700));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find(damaged.string()), std::string::npos) << warnings;
  EXPECT_EQ(json::parse(read_file(run.metrics(1)))["window_shards"], 1);
}

// A checkpoint names the window's shards in JSON.
TEST_F(TrainerFilesTest, AShardWhoseNameIsNoTextIsNamedAndSkipped) {
  const RunDirectory run = make_run("run", 2);
  fs::rename(run.shards(0) / "0.h5", run.shards(0) / "a\xff.h5");
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find("a\\xff.h5: its name is no UTF-8; rename it"), std::string::npos) << warnings;
  EXPECT_EQ(json::parse(read_file(run.metrics(1)))["window_shards"], 1);
}

// Else every program that plays with the model would blame the model, again after each start.
TEST_F(TrainerFilesTest, ANetworkThatOverflowsEndsTheRunBeforeItIsSaved) {
  const RunDirectory run = make_run("run", 1);
  train_until(run, 1);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  for (float& weight : checkpoint.learner.optimizer.average) weight *= 1e9f;
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  EXPECT_EQ(error_of([&] { train(run); }),
            "the network of generation 2 overflows: the training has diverged; begin a new run with a lower "
            "training.learning_rate or with training.gradient_clip");
  EXPECT_FALSE(fs::exists(run.checkpoint(2)) || fs::exists(run.model(2)));
}

// A run goes on from all of its files or not at all: what belongs to another configuration is no damage.
TEST_F(TrainerFilesTest, StopsAtFilesOfAnotherConfiguration) {
  const RunDirectory run = make_run("run", 1);
  const fs::path foreign = run.shards(0) / "z.h5";
  write_shard(foreign.string(), random_shard(parse_game("quoridor:3x3,walls=1"), 1, 1, "another"));
  EXPECT_EQ(error_of([&] { train(run); }).rfind(foreign.string() + ": of another configuration", 0), 0u);
  fs::remove(foreign);
  train_until(run, 1);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  checkpoint.config_hash = "another";
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  EXPECT_EQ(error_of([&] { train(run); }), run.checkpoint(1).string() + ": a checkpoint of another configuration");
  checkpoint = load_checkpoint(run.checkpoint(1));
  checkpoint.config_hash = config_hash(parse_config(kTrainerConfig, "test"));
  checkpoint.encoding_version = 7;
  save_checkpoint(run.checkpoint(1), checkpoint);
  EXPECT_NE(error_of([&] { train(run); }).find("a checkpoint of version 7 of the game's encoding"), std::string::npos);
}

// A run may go on on another machine, one without bf16 too, or with another training.bf16.
TEST_F(TrainerFilesTest, Bf16IsGivenUpWhereItDoesNotSuit) {
  const RunDirectory run = make_run("run", 1);
  train_until(run, 1);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  EXPECT_TRUE(checkpoint.learner.arithmetic_chosen);
  checkpoint.learner.arithmetic = Arithmetic::bf16;
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  train(run);
  EXPECT_EQ(load_checkpoint(run.checkpoint(2)).learner.arithmetic, Arithmetic::f32) << "training.bf16 is false";
}

// A frozen configuration that lacks a key was written before there was such a key.
TEST_F(TrainerFilesTest, GoesOnWithARunThatDoesNotKnowAKey) {
  const RunDirectory run = make_run("run", 1);
  train_until(run, 1);
  std::string frozen = read_file(run.config());
  for (const std::string key : {"reply_weight = 0\n", "ema = 0.995\n", "cheap_visits = 24\n"}) {
    ASSERT_NE(frozen.find(key), std::string::npos) << key;
    frozen.erase(frozen.find(key), key.size());
  }
  write_file_atomically(run.config(), frozen);
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 4);
}

// Versions before this one counted every key in the hash: the run's own first model says what its files carry.
TEST_F(TrainerFilesTest, GoesOnWithARunOfAnotherHash) {
  const RunDirectory run = make_run("run", 0);
  const std::atomic<bool> at_once{true};
  train_run(run.root(), 1, at_once);
  Model first = load_model(run.model(0).string());
  first.info.config_hash = "0123456789abcdef";
  save_model(run.model(0).string(), first);
  fs::remove_all(run.root() / "checkpoints");
  for (int generation = 0; generation < 2; ++generation) {
    write_shard((run.shards(generation) / "0.h5").string(),
                random_shard(parse_game("quoridor:3x3,walls=1"), 4, 1, "0123456789abcdef"));
    write_file_atomically(run.complete(generation), "");
  }
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_EQ(load_model(run.model(2).string()).info.config_hash, "0123456789abcdef");
}

}  // namespace
}  // namespace koridor
