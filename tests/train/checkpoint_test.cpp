#include "train/learner/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/train/small_learner.h"
#include "train/learner/learner.h"
#include "train/learner/replay_window.h"

namespace koridor {
namespace {

class CheckpointTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "checkpoint.pt";
};

TEST_F(CheckpointTest, AContinuedTrainingIsTheSame) {
  const TrainingBatch batch = batch_of(learned_game(), 32, 1);
  const auto learner = trained_learner(batch, 5);
  Checkpoint checkpoint;
  checkpoint.config_hash = "0123456789abcdef";
  checkpoint.seed = 0xFFFFFFFFFFFFFFFFu;
  checkpoint.generation = 3;
  checkpoint.step = 5;
  checkpoint.steps = 9;
  checkpoint.new_positions = 77;
  checkpoint.positions_so_far = 1234567890123;
  checkpoint.so_far = {.steps = 5, .skipped = 1, .seconds = 0.125};
  for (const float gradient_norm : {0.1f, 0.7f}) {
    StepResult step{.gradient_norm = gradient_norm, .each = {3.0f, 0.3f, 0.2f}};
    step.quality.samples = 32;
    step.quality.policies = 9;
    checkpoint.so_far.all.add(step);
    checkpoint.so_far.boards.resize(2);
    checkpoint.so_far.boards[1].add(step);
  }
  checkpoint.window = {"shards/gen-0000/a.h5", "shards/gen-0001/b.h5"};
  checkpoint.learner = learner->state();
  save_checkpoint(path_, checkpoint);

  const Checkpoint loaded = load_checkpoint(path_);
  EXPECT_EQ(loaded.config_hash, checkpoint.config_hash);
  EXPECT_EQ(loaded.seed, checkpoint.seed);
  EXPECT_EQ(loaded.generation, 3);
  EXPECT_EQ(loaded.step, 5);
  EXPECT_EQ(loaded.steps, 9);
  EXPECT_EQ(loaded.new_positions, 77u);
  EXPECT_EQ(loaded.positions_so_far, 1234567890123u);
  EXPECT_EQ(loaded.window, checkpoint.window);
  EXPECT_EQ(loaded.so_far.steps, 5);
  EXPECT_EQ(loaded.so_far.skipped, 1);
  EXPECT_EQ(loaded.so_far.seconds, 0.125);
  ASSERT_EQ(loaded.so_far.boards.size(), 2u);
  EXPECT_EQ(loaded.so_far.boards[0].weight(), 0);
  for (const StepFigures& figures : {loaded.so_far.all, loaded.so_far.boards[1]}) {
    EXPECT_EQ(figures.weight(), 2);
    EXPECT_EQ(figures.each(), checkpoint.so_far.all.each());
    EXPECT_EQ(figures.gradient_norm(), checkpoint.so_far.all.gradient_norm());
    EXPECT_EQ(figures.quality().samples, 64);
  }
  const auto second = small_learner(batch, 99);
  second->restore(loaded.learner, "");
  for (int i = 0; i < 5; ++i) {
    const StepResult a = learner->step(batch, 0.01).value();
    const StepResult b = second->step(batch, 0.01).value();
    EXPECT_FLOAT_EQ(a.loss, b.loss);
  }
  EXPECT_LT(test::largest_difference(learner->state().optimizer.average, second->state().optimizer.average), 1e-6f);
}

TEST_F(CheckpointTest, KeepsThatTheAverageBeganWithATrainedNetwork) {
  for (const bool settled : {false, true}) {
    Checkpoint checkpoint;
    checkpoint.learner.optimizer.settled = settled;
    save_checkpoint(path_, checkpoint);
    EXPECT_EQ(load_checkpoint(path_).learner.optimizer.settled, settled);
  }
}

TEST_F(CheckpointTest, DamageIsNoticedAndNamed) {
  const TrainingBatch batch = batch_of(learned_game(), 8, 1);
  Checkpoint checkpoint;
  checkpoint.learner = small_learner(batch)->state();
  save_checkpoint(path_, checkpoint);
  const std::string bytes = read_file(path_);
  const auto error_with = [&](const std::string& content) {
    write_file_atomically(path_, content);
    return error_of([&] { load_checkpoint(path_); });
  };
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x40);
  for (const std::string& content : {std::string(), std::string("hello"), bytes.substr(0, bytes.size() / 2),
                                     bytes.substr(0, bytes.size() - 1), flipped, bytes + bytes}) {
    const std::string error = error_with(content);
    EXPECT_NE(error.find("damaged checkpoint " + path_.string()), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_THROW(load_checkpoint("/nowhere/x.pt"), UserError);
}

TEST_F(CheckpointTest, AStateOfAnotherNetworkIsRefused) {
  const TrainingBatch batch = batch_of(learned_game(), 8, 1);
  LearnerState state = small_learner(batch)->state();
  state.weights.parameters.pop_back();
  EXPECT_THROW(small_learner(batch)->restore(state, "x"), UserError);
}

}  // namespace
}  // namespace koridor
