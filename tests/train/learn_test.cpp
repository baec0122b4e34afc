// Learning from given shards, without a run.
#include "train/learner/learn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/train/trainer_run.h"
#include "train/learner/hold_out.h"
#include "train/learner/trainer.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class LearnTest : public TrainerRuns {
 protected:
  // Learns from the games of the run's first generation.
  LearnTask task_on(const RunDirectory& run, const std::string& out) const {
    LearnTask task;
    task.config = parse_config(kTrainerConfig, "test");
    task.shards = {(run.shards(0) / "0.h5").string(), (run.shards(0) / "1.h5").string()};
    task.out = (folder_ / out).string();
    task.threads = 1;
    return task;
  }
};

// However the samples without a policy are spread over the batches.
TEST(HoldOut, TheLossOfThePolicyIsAMeanOverPolicies) {
  ShardData shard = random_shard(parse_game("quoridor:5x5,walls=2"), 30, 1);
  for (std::size_t ply = 0; ply < shard.plies(); ++ply) {
    if (ply >= 200 && ply % 50 != 0) continue;
    shard.ply_kind[ply] = static_cast<std::uint8_t>(PlyKind::cheap);
    shard.policy_count[ply] = 0;
  }
  Config config = parse_config(kTrainerConfig, "test");
  config.training.cheap_share = 1;
  ReplayWindow window({parse_game("quoridor:5x5,walls=2")}, Features{}, config.training, "");
  window.add("made up", shard);
  ASSERT_GT(window.positions(), 300u) << "more than a batch";
  TrainingBatch batch;
  window.read(0, 0, 1, batch);
  Learner learner({config.network, training_signature({}, batch.shape), config.training}, 1, 1);
  double policy = 0, value = 0;
  int policies = 0;
  for (std::size_t i = 0; i < window.positions(); ++i) {
    window.read(0, i, 1, batch);
    const StepResult one = learner.measure(batch, true);
    policies += one.quality.policies > 0;
    policy += one.each[0];
    value += one.each[1];
  }
  const StepFigures figures = measure_all(learner, window, 1);
  EXPECT_NEAR(figures.each()[0], policy / policies, 1e-4);
  EXPECT_NEAR(figures.each()[1], value / static_cast<double>(window.positions()), 1e-4);
  EXPECT_EQ(figures.quality().policies, policies);
}

TEST_F(LearnTest, StartsFromAModelOfItsOwnEncodingOnly) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  train_run(run.root(), 1, at_once);
  Model model = load_model(run.model(0).string());
  model.info.encoding_version = 2;
  LearnTask task = task_on(run, "out.koridor");
  task.config.training.start_from = (folder_ / "other.koridor").string();
  save_model(task.config.training.start_from, model);
  EXPECT_NE(error_of([&] { learn_from_shards(task, never_); }).find("it reads version 2 of its game's encoding"),
            std::string::npos);
  model.info.encoding_version = 1;
  model.info.family = "go";
  save_model(task.config.training.start_from, model);
  EXPECT_NE(error_of([&] { learn_from_shards(task, never_); }).find("family \"go\""), std::string::npos);
}

TEST_F(LearnTest, SaysAllThatDiffersInTheNetworkItIsToStartFrom) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  train_run(run.root(), 1, at_once);
  LearnTask task = task_on(run, "out.koridor");
  task.config.training.start_from = run.model(0).string();
  task.config.network.value_hidden -= 1;
  task.config.features.distances = !task.config.features.distances;
  EXPECT_THAT(error_of([&] { learn_from_shards(task, never_); }),
              AllOf(HasSubstr("network.value_hidden is 8 there and 7 here"), HasSubstr("network.distances is ")));
}

// Both are said before anything is read, since the network would be lost after hours.
TEST_F(LearnTest, WritesOverNoInputAndOnlyWhereItCan) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "out.koridor");
  task.out = task.shards[0];
  EXPECT_THAT(error_of([&] { learn_from_shards(task, never_); }), HasSubstr("which is read and would be lost"));
  task.out = folder_.path().string();
  task.config.training.start_from = "none.koridor";
  EXPECT_THAT(error_of([&] { learn_from_shards(task, never_); }), HasSubstr("none.koridor"));
  task.config.training.start_from.clear();
  task.shards = {(folder_ / "none.h5").string()};
  EXPECT_THAT(error_of([&] { learn_from_shards(task, never_); }), HasSubstr("it is a folder"));
}

TEST_F(LearnTest, StartsFromNoModelThatOverflows) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  train_run(run.root(), 1, at_once);
  Model model = load_model(run.model(0).string());
  for (auto& [name, values] : model.tensors) std::ranges::fill(values, 1e30f);
  LearnTask task = task_on(run, "out.koridor");
  task.config.training.start_from = (folder_ / "large.koridor").string();
  save_model(task.config.training.start_from, model);
  EXPECT_NE(error_of([&] { learn_from_shards(task, never_); }).find("large.koridor: its network overflows"),
            std::string::npos);
}

TEST_F(LearnTest, LearnsFromGivenShardsAndStartsFromAModel) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "first.koridor");
  EXPECT_EQ(learn_from_shards(task, never_), TrainerEnd::finished);
  const Model first = load_model(task.out);
  task.shards = {(run.root() / "shards").string()};
  task.out = (folder_ / "folder.koridor").string();
  EXPECT_EQ(learn_from_shards(task, never_), TrainerEnd::finished);
  EXPECT_EQ(load_model(task.out).tensors, first.tensors) << "a folder stands for its shards";
  task.shards = {(folder_ / "run" / "models").string()};
  EXPECT_THROW(learn_from_shards(task, never_), UserError);
  task.shards = {(run.root() / "shards").string()};
  task.config.training.start_from = task.out;
  task.config.training.learning_rate = task.config.training.final_learning_rate = 1e-7;
  task.out = (folder_ / "second.koridor").string();
  testing::internal::CaptureStdout();
  EXPECT_EQ(learn_from_shards(task, never_), TrainerEnd::finished);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), AllOf(HasSubstr("It begins with"), Not(HasSubstr("grows"))));
  // Hardly moved from where it started: the heads are the same up to that rate.
  const Model second = load_model(task.out);
  task.config.network.blocks += 1;
  task.out = (folder_ / "larger.koridor").string();
  testing::internal::CaptureStdout();
  EXPECT_EQ(learn_from_shards(task, never_), TrainerEnd::finished);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("grows"));
  EXPECT_EQ(load_model(task.out).info.network, task.config.network);
  for (std::size_t i = 0; i < first.tensors.at("value.out.weight").size(); ++i) {
    EXPECT_NEAR(second.tensors.at("value.out.weight")[i], first.tensors.at("value.out.weight")[i], 1e-4f);
  }
  task.shards = {(folder_ / "missing.h5").string()};
  testing::internal::CaptureStderr();
  EXPECT_THAT(error_of([&] { learn_from_shards(task, never_); }), HasSubstr("cannot read " + task.shards[0]));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the error says it all";
}

TEST_F(LearnTest, ShardsThatAreThereTwiceCountOnce) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "once.koridor");
  learn_from_shards(task, never_);
  const Model once = load_model(task.out);
  const std::string copy = (folder_ / "copy.h5").string();
  fs::copy_file(task.shards[0], copy);
  task.shards = {task.shards[0], task.shards[0], copy, run.shards(0).string()};
  task.out = (folder_ / "twice.koridor").string();
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  learn_from_shards(task, never_);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find(copy + ": a copy of " + task.shards[0]), std::string::npos) << said;
  EXPECT_NE(text.find(" of 20 games in 2 shards"), std::string::npos) << text;
  EXPECT_EQ(load_model(task.out).tensors, once.tensors);
}

TEST_F(LearnTest, LearningIsMeasuredOnGamesHeldOut) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "plain.koridor");
  learn_from_shards(task, never_);
  task.hold_out = 0.3;
  task.events = folder_ / "events";
  task.out = (folder_ / "measured.koridor").string();
  testing::internal::CaptureStdout();
  learn_from_shards(task, never_);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("Wrote " + task.out), std::string::npos) << text;
  EXPECT_NE(text.find("games held out:"), std::string::npos) << text;
  EXPECT_NE(load_model(task.out).tensors, load_model((folder_ / "plain.koridor").string()).tensors);
  // An earlier training's events are replaced; what is not ours stays.
  const fs::path earlier = fs::directory_iterator(task.events)->path();
  fs::rename(earlier, task.events / "events.out.tfevents.0000000001.koridor.1");
  write_file_atomically(task.events / "events.out.tfevents.1.host", "another program's");
  learn_from_shards(task, never_);
  EXPECT_EQ(std::distance(fs::directory_iterator(task.events), fs::directory_iterator()), 2);
  fs::remove(task.events / "events.out.tfevents.1.host");
  const std::string events = read_file(fs::directory_iterator(task.events)->path());
  for (const char* tag : {"training/policy_kl", "hold_out/loss", "hold_out/value_brier"}) {
    EXPECT_NE(events.find(tag), std::string::npos) << tag;
  }
  // Splitting loses nothing, whole games stay together, and measuring changes nothing that is learned.
  const ShardData whole = read_shard(task.shards[0]);
  const auto [learned, held] = split_games(whole, task.hold_out);
  check_shard(learned, "learned");
  check_shard(held, "held");
  EXPECT_EQ(learned.games() + held.games(), whole.games());
  EXPECT_EQ(learned.plies() + held.plies(), whole.plies());
  EXPECT_GT(held.games(), 0u);
  for (const std::uint32_t number : held.game_number) EXPECT_TRUE(held_out(whole.info.generation, number, 0.3));
  write_shard((folder_ / "learned.h5").string(), learned);
  write_shard((folder_ / "rest.h5").string(), split_games(read_shard(task.shards[1]), task.hold_out).first);
  task.shards = {(folder_ / "learned.h5").string(), (folder_ / "rest.h5").string()};
  task.hold_out = 0;
  const Model measured = load_model(task.out);
  learn_from_shards(task, never_);
  EXPECT_EQ(load_model(task.out).tensors, measured.tensors);
}

// The games of a shard that is skipped are neither learned from nor measured by.
TEST_F(LearnTest, AShardIsSkippedAsAWhole) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "plain.koridor");
  task.hold_out = 0.3;
  learn_from_shards(task, never_);
  const Model plain = load_model(task.out);
  const std::string damaged = (folder_ / "damaged.h5").string();
  ShardData shard = read_shard(task.shards[0]);
  shard.info.generation = 7;
  std::size_t held = 0;
  while (!held_out(7, shard.game_number[held], 0.3)) ++held;
  std::ranges::fill_n(shard.ply_state.begin() + shard.game_first_ply[held] * shard.info.state_bytes,
                      shard.info.state_bytes, std::uint8_t{0xFF});
  write_shard(damaged, shard);
  task.shards.push_back(damaged);
  task.out = (folder_ / "again.koridor").string();
  testing::internal::CaptureStderr();
  learn_from_shards(task, never_);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("is no position of"), std::string::npos) << said;
  EXPECT_EQ(load_model(task.out).tensors, plain.tensors);
}

TEST_F(LearnTest, AFaultThatManyShardsHaveIsOneLine) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "none.koridor");
  ShardData shard = read_shard(task.shards[0]);
  shard.info.game = "go:5x5";
  task.shards.clear();
  for (const char* name : {"a.h5", "b.h5", "c.h5"}) {
    task.shards.push_back((folder_ / name).string());
    write_shard(task.shards.back(), shard);
  }
  testing::internal::CaptureStderr();
  EXPECT_THROW(learn_from_shards(task, never_), UserError);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_NE(said.find("a.h5: "), std::string::npos) << said;
  EXPECT_NE(said.find("; skipped (as 2 other shards for the same reason)\n"), std::string::npos) << said;
}

TEST_F(LearnTest, AShareThatHoldsOutNothingIsRefused) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "plain.koridor");
  task.hold_out = 1e-6;
  EXPECT_NE(error_of([&] { learn_from_shards(task, never_); }).find("--hold-out 1e-06: of 20 games it holds out none"),
            std::string::npos);
}

TEST_F(LearnTest, AShareThatLeavesNothingToLearnIsRefused) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task = task_on(run, "plain.koridor");
  task.hold_out = 0.9999;
  EXPECT_NE(error_of([&] { learn_from_shards(task, never_); }).find("--hold-out 0.9999: it holds out all "),
            std::string::npos);
}

TEST_F(LearnTest, LearningThatIsStoppedKeepsWhatWasLearned) {
  const RunDirectory run = make_run("run", 1);
  LearnTask task;
  task.config = parse_config(kTrainerConfig, "test");
  task.config.training.samples_per_position = 100000;  // hours
  task.shards = {(run.shards(0) / "0.h5").string()};
  task.out = (folder_ / "stopped.koridor").string();
  task.threads = 1;
  std::atomic<bool> stop{true};
  testing::internal::CaptureStdout();
  EXPECT_EQ(learn_from_shards(task, stop), TrainerEnd::stopped);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("nothing was written"), std::string::npos);
  EXPECT_FALSE(fs::exists(task.out));
  stop = false;
  task.events = folder_ / "events";
  std::thread later([&] {
    // The first step's losses say that it is done.
    const auto learned = [&] {
      std::error_code error;
      const fs::directory_iterator file(task.events, error);
      return file != fs::directory_iterator() && read_file(file->path()).find("training/") != std::string::npos;
    };
    EXPECT_TRUE(eventually(learned));
    stop = true;
  });
  testing::internal::CaptureStdout();
  EXPECT_EQ(learn_from_shards(task, stop), TrainerEnd::stopped);
  later.join();
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("Stopped; what was learned is kept.\nWrote " + task.out), std::string::npos) << text;
  EXPECT_EQ(load_model(task.out).info.game, "quoridor:3x3,walls=1");
}

}  // namespace
}  // namespace koridor
