// Several trainers of which each has a device: LibTorch's CPU device here.
#include <gtest/gtest.h>

#include <array>

#include "tests/train/rank_threads.h"
#include "train/learner/device_trainer.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

TEST(DeviceRanks, LearnWhatOneLearnerOfTwoPartsLearns) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  TrainingConfig training;
  training.batch = 32;
  training.parts = 2;
  training.bf16 = false;
  training.device = "cpu";
  const NetworkConfig network{2, 16, 2, 8, 8, 16};
  const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, game);
  const NetworkSignature signature = training_signature({}, shape);
  ReplayWindow window({game}, {}, training, "");
  window.add("(random games)", random_shard(game, 20, 1));
  const auto batch_of = [&](int step, BatchPart part) {
    Random random(static_cast<std::uint64_t>(step));
    TrainingBatch batch;
    window.sample(training.batch, random, batch, part);
    return batch;
  };
  Learner one({network, signature, training}, 5, 1);
  const Weights start = one.state().weights;
  constexpr int kSteps = 8;
  std::array<StepResult, kSteps> expected;
  for (int step = 0; step < kSteps; ++step) expected[step] = one.step(batch_of(step, {}), 0.001).value();
  std::array<LearnerState, 2> states;
  run_ranks(2, [&](Ranks& ranks) {
    DeviceTrainer trainer({network, signature, training}, torch::kCPU, Arithmetic::f32, &ranks);
    trainer.set_weights(start);
    for (int step = 0; step <= kSteps; ++step) {
      // Numbers come one step late.
      const std::optional<StepResult> result =
          step == kSteps ? trainer.finish_step()
                         : trainer.step(batch_of(step, {ranks.place().rank, ranks.size()}), 0.001);
      ASSERT_EQ(result.has_value(), step > 0);
      if (!result) continue;
      const StepResult& same = expected[static_cast<std::size_t>(step - 1)];
      EXPECT_NEAR(result->loss, same.loss, 1e-3) << step;
      EXPECT_NEAR(result->each[0], same.each[0], 1e-3) << step;
      EXPECT_NEAR(result->gradient_norm, same.gradient_norm, 1e-2 * same.gradient_norm) << step;
      EXPECT_EQ(result->quality.samples, training.batch);
      EXPECT_NEAR(result->quality.value_brier(), same.quality.value_brier(), 1e-3) << step;
    }
    states[static_cast<std::size_t>(ranks.place().rank)] = trainer.state();
  });
  EXPECT_EQ(states[0].weights.parameters, states[1].weights.parameters);
  EXPECT_EQ(states[0].weights.statistics, states[1].weights.statistics);
  EXPECT_EQ(states[0].average_statistics, states[1].average_statistics);
  EXPECT_EQ(states[0].optimizer.average, states[1].optimizer.average);
}

}  // namespace
}  // namespace koridor
