#include "train/learner/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/train/small_learner.h"
#include "train/learner/replay_window.h"
#include "train/run/config.h"
#include "train/targets/targets.h"

namespace koridor {
namespace {

TEST(Learner, LearnsASmallBatchByHeart) {
  const TrainingBatch batch = batch_of(learned_game(), 64, 3);
  const auto learner = small_learner(batch);
  const StepResult first = learner->step(batch, 0.01).value();
  StepResult last;
  for (int i = 0; i < 250; ++i) last = learner->step(batch, 0.01).value();
  EXPECT_GT(first.each[0], 1.0f);
  EXPECT_LT(last.each[0], 0.5f * first.each[0]);
  EXPECT_LT(last.each[1], 0.4f * first.each[1]);
  EXPECT_LT(last.each[2], first.each[2]);
  EXPECT_NEAR(last.loss, last.each[0] + last.each[1] + 0.15f * last.each[2], 1e-4f);
  // The targets are single actions, so that the policy's loss is its KL.
  EXPECT_EQ(last.quality.samples, batch.size);
  EXPECT_EQ(last.quality.policy_entropy(), 0.0);
  EXPECT_GT(last.quality.top1(), first.quality.top1() + 0.3);
  EXPECT_LT(last.quality.value_brier(), 0.3 * first.quality.value_brier());
  // Measuring learns nothing, and sees what predict() sees.
  const LearnerState before = learner->state();
  const StepResult measured = learner->measure(batch, true);
  EXPECT_EQ(learner->state().weights.parameters, before.weights.parameters);
  EXPECT_EQ(learner->state().weights.statistics, before.weights.statistics);
  EXPECT_LT(measured.each[0], 0.7f * first.each[0]);
  EXPECT_EQ(measured.quality.samples, batch.size);

  // The exported average has learnt as well, with its own statistics: who wins, in most positions.
  const HeadResults results = evaluator_results(learner->exported(small_model_info()), batch);
  int right = 0;
  for (int row = 0; row < batch.size; ++row) {
    const auto begin = results.value.begin() + row * 3;
    const auto best = std::max_element(begin, begin + 3) - begin;
    right += batch.of("value")[std::size_t(row) * 3 + best] == 1.0f ? 1 : 0;
  }
  EXPECT_GE(right, batch.size * 9 / 10);
}

TEST(Learner, LearnsWhoOwnsEachPoint) {
  TrainingBatch batch = batch_of(parse_game("go:5x5"), 8, 1);
  const auto learner = small_learner(batch);
  const float before = learner->step(batch, 0.01).value().each[3];
  for (int i = 0; i < 150; ++i) learner->step(batch, 0.01);
  const float after = learner->step(batch, 0.01).value().each[3];
  EXPECT_LT(after, 0.75f * before);
  // The points' part of it: other owners, another loss.
  for (float& owner : batch.of("ownership")) owner = 1.0f - owner;
  EXPECT_GT(learner->step(batch, 0.01).value().each[3], after + 0.1f);
}

TEST(Learner, IllegalActionsTakeNoPartInTheLoss) {
  TrainingBatch batch = batch_of(learned_game(), 16, 1);
  const StepResult all = small_learner(batch)->step(batch, 0.0).value();
  // With only the target's action legal, nothing can be wrong.
  for (std::size_t i = 0; i < batch.of("policy").size(); ++i)
    batch.legal[i] = batch.of("policy")[i] > 0 ? 0.0f : kIllegal;
  const StepResult one = small_learner(batch)->step(batch, 0.0).value();
  EXPECT_GT(all.each[0], 1.0f);
  EXPECT_NEAR(one.each[0], 0.0f, 1e-5f);
}

TEST(Learner, Bf16AgreesWithF32) {
  const TrainingBatch batch = batch_of(learned_game(), 64, 1);
  const auto learner = trained_learner(batch, 5);
  LearnerState state = learner->state();
  const StepResult f32 = learner->step(batch, 0.0).value();
  state.arithmetic = Arithmetic::bf16;
  learner->restore(state, "");
  const StepResult bf16 = learner->step(batch, 0.0).value();
  EXPECT_NE(f32.loss, bf16.loss) << "bf16 was not used";
  EXPECT_NEAR(f32.loss, bf16.loss, 0.02f * f32.loss);
}

TEST(Learner, EqualSeedsGiveEqualNetworks) {
  const TrainingBatch batch = batch_of(learned_game(), 4, 1);
  const Model a = small_learner(batch, 5)->exported(small_model_info());
  EXPECT_EQ(a.tensors, small_learner(batch, 5)->exported(small_model_info()).tensors);
  EXPECT_NE(a.tensors, small_learner(batch, 6)->exported(small_model_info()).tensors);
}

TEST(Learner, ThreadsShareABatch) {
  // 128 equal rows: each half is as the whole, so two threads must find the same losses, gradients and statistics.
  TrainingBatch batch = batch_of(learned_game(), 64, 1);
  const auto one = small_learner(batch, 1, 1);
  TrainingBatch twice = batch;
  twice.resize(128, batch.shape, one->objectives());
  const auto repeat = [](std::vector<float>& values) {
    std::copy_n(values.begin(), values.size() / 2, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  };
  repeat(twice.planes);
  repeat(twice.scalars);
  repeat(twice.of("policy"));
  repeat(twice.legal);
  repeat(twice.of("value"));
  repeat(twice.of("auxiliary"));
  const auto two = small_learner(batch, 1, 2);
  for (int i = 0; i < 3; ++i) {
    const StepResult a = one->step(batch, 0.001).value();
    const StepResult b = two->step(twice, 0.001).value();
    EXPECT_NEAR(a.loss, b.loss, 1e-4f);
    EXPECT_NEAR(a.each[0], b.each[0], 1e-4f);
    EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-3f * a.gradient_norm);
  }
  EXPECT_LT(test::largest_difference(one->state().average_statistics, two->state().average_statistics), 1e-3f);
  // The halves of a mixed batch are both seen.
  std::fill_n(twice.of("value").begin(), 64 * 3, 1.0f / 3);
  EXPECT_NE(two->step(twice, 0.0).value().each[1], one->step(batch, 0.0).value().each[1]);
}

TEST(Learner, AFixedNumberOfPartsGivesTheSameNetworkOnAnyNumberOfThreads) {
  const TrainingBatch batch = batch_of(learned_game(), 100, 1);
  const auto train = [&](int parts, int threads) {
    TrainingConfig training = quick_training();
    training.parts = parts;
    training.batch = batch.size;
    Learner learner({small_network(), training_signature({}, batch.shape), training}, 1, threads);
    for (int i = 0; i < 3; ++i) learner.step(batch, 0.01);
    return learner.exported(small_model_info()).tensors;
  };
  const auto one = train(3, 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(train(3, threads), one) << threads;
  EXPECT_NE(train(2, 2), one) << "the parts were not used";
}

TEST(Learner, ThreadsShareABatchThatIsOnlyPredicted) {
  const TrainingBatch batch = batch_of(learned_game(), 150, 1);
  const auto two = small_learner(batch, 1, 2);
  for (int i = 0; i < 5; ++i) two->step(batch, 0.01);
  const LearnerState state = two->state();
  const auto one = small_learner(batch, 1, 1);
  one->restore(state, "");
  for (const bool average : {false, true}) {
    expect_close(libtorch_results(*two, batch, average), libtorch_results(*one, batch, average), 1e-4f);
  }
  EXPECT_EQ(two->state().weights.parameters, state.weights.parameters);
  EXPECT_EQ(two->state().weights.statistics, state.weights.statistics);
}

TEST(Learner, MorePartsThanPositionsAreRefused) {
  const TrainingBatch batch = batch_of(learned_game(), 4, 1);
  TrainingConfig training = quick_training();
  training.batch = 4;
  training.parts = 5;
  EXPECT_EQ(error_of([&] {
              Learner({small_network(), training_signature({}, batch.shape), training}, 1, 1);
            }),
            "training.parts (5) is above training.batch (4), the positions of a step; give at most as many parts as "
            "positions");
}

}  // namespace
}  // namespace koridor
