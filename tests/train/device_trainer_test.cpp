// Training on a device against training on the CPU: the same numbers. The device is LibTorch's CPU, and a GPU where
// there is one.
#include "train/learner/device_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/error_of.h"
#include "tests/numbers.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

using test::random_values;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

std::vector<torch::Device> devices() {
  std::vector<torch::Device> all{torch::kCPU};
  if (torch::cuda::is_available()) all.emplace_back(torch::kCUDA, 0);
  return all;
}

TEST(DeviceOptimizer, StepsAsTheOptimizerOfTheCpu) {
  constexpr std::size_t kCount = 1000;
  for (const torch::Device device : devices()) {
    for (const char* kind : {"adamw", "sgd", "muon"}) {
      for (const double clip : {0.0, 5.0, 1e6}) {
        TrainingConfig config;
        config.optimizer = kind;
        config.gradient_clip = clip;
        config.weight_decay = 0.01;
        config.ema = 0.8;
        std::vector<float> parameters = random_values(kCount, 1);
        std::vector<float> average_statistics = random_values(10, 2);
        const std::vector<float> statistics = random_values(10, 3);
        const std::vector<HiddenMatrix> matrices{
            {.offset = 40, .rows = 8, .columns = 15}, {160, 20, 4}, {240, 8, 15}, {360, 8, 15, 0.5f}};
        Optimizer expected(config, parameters, 600, matrices);
        const torch::Tensor on_device = to_device(parameters, device);
        const torch::Tensor device_average = to_device(average_statistics, device);
        DeviceOptimizer actual(config, on_device, 600, matrices);
        if (clip == 5.0) {
          expected.settle_average();
          actual.settle_average();
        }
        for (int step = 0; step < 12; ++step) {
          std::vector<float> gradients = random_values(kCount, 10 + static_cast<std::uint64_t>(step));
          if (step == 5) gradients[7] = std::numeric_limits<float>::quiet_NaN();
          if (step == 6) gradients[8] = std::numeric_limits<float>::infinity();
          std::vector<float> seen = statistics;
          if (step == 5) seen[3] = std::numeric_limits<float>::quiet_NaN();
          const torch::Tensor device_gradients = to_device(gradients, device);
          const auto norm = static_cast<float>(expected.step(parameters, gradients, 0.01));
          if (std::isfinite(norm)) move_average(average_statistics, statistics, expected.average_decay());
          const auto device_norm =
              actual.step(on_device, device_gradients, 0.01, to_device(seen, device), device_average).item<float>();
          if (std::isfinite(norm)) {
            EXPECT_NEAR(device_norm, norm, 1e-3);
          } else {
            EXPECT_FALSE(std::isfinite(device_norm));
          }
          EXPECT_THAT(to_host(device_gradients), testing::Each(0.0f));
        }
        EXPECT_THAT(to_host(on_device), Pointwise(FloatNear(1e-5f), parameters)) << kind << " " << clip;
        EXPECT_THAT(to_host(device_average), Pointwise(FloatNear(1e-5f), average_statistics));
        const OptimizerState state = actual.state();
        EXPECT_EQ(state.steps, 10);
        EXPECT_EQ(state.settled, clip == 5.0);
        EXPECT_THAT(state.first, Pointwise(FloatNear(1e-5f), expected.state().first));
        EXPECT_THAT(state.second, Pointwise(FloatNear(1e-5f), expected.state().second));
        EXPECT_THAT(state.average, Pointwise(FloatNear(1e-5f), expected.state().average));
      }
    }
  }
}

struct Setting {
  explicit Setting(const char* name) : game(parse_game(name)), window({game}, {}, training(), "") {
    window.add("(random games)", random_shard(game, 20, 1));
    signature = training_signature({}, std::visit([](const auto& known) { return known.encoding({}); }, game));
  }
  static TrainingConfig training() {
    TrainingConfig config;
    config.batch = 48;
    config.bf16 = false;
    config.device = "cpu";
    return config;
  }
  TrainingBatch batch(std::uint64_t seed) const {
    Random random(seed);
    TrainingBatch made;
    window.sample(48, random, made);
    return made;
  }
  Learner learner() const { return Learner({network, signature, training()}, 5, 1); }
  DeviceTrainer trainer(torch::Device device) const {
    DeviceTrainer made({network, signature, training()}, device, Arithmetic::f32);
    made.set_weights(learner().state().weights);
    return made;
  }

  AnyGame game;
  ReplayWindow window;
  NetworkConfig network{2, 16, 2, 8, 8, 16};
  NetworkSignature signature;
};

TEST(DeviceTrainer, LearnsWhatTheLearnerOfTheCpuLearns) {
  for (const char* game : {"quoridor:5x5,walls=3", "go:5x5"}) {  // Go has owners of squares
    const Setting given(game);
    for (const torch::Device device : devices()) {
      Learner expected = given.learner();
      DeviceTrainer actual = given.trainer(device);
      const auto expect_same = [](const std::optional<StepResult>& result, const StepResult& same, int step) {
        ASSERT_TRUE(result) << step;
        EXPECT_NEAR(result->loss, same.loss, 1e-3) << step;
        EXPECT_NEAR(result->gradient_norm, same.gradient_norm, 1e-2 * same.gradient_norm) << step;
        EXPECT_EQ(result->quality.samples, same.quality.samples);
        EXPECT_NEAR(result->quality.policy_entropy(), same.quality.policy_entropy(), 1e-5) << step;
        EXPECT_NEAR(result->quality.value_brier(), same.quality.value_brier(), 1e-3) << step;
      };
      StepResult before;
      for (int step = 0; step < 6; ++step) {
        TrainingBatch batch = given.batch(static_cast<std::uint64_t>(step));
        const StepResult now = expected.step(batch, 0.001).value();
        EXPECT_EQ(now.quality.samples, batch.size);
        const std::optional<StepResult> result = actual.step(batch, 0.001);
        std::ranges::fill(batch.planes, 0.0f);  // the step under way has its own copy
        // Numbers come one step late: each once.
        if (step == 0) {
          EXPECT_FALSE(result);
        } else {
          expect_same(result, before, step);
        }
        before = now;
      }
      expect_same(actual.finish_step(), before, 6);
      EXPECT_FALSE(actual.finish_step()) << "nothing is under way";
      EXPECT_FALSE(actual.step(given.batch(0), 0.0)) << "nor was anything before this step";
      actual.finish_step();
      expected.step(given.batch(0), 0.0);
      const LearnerState a = expected.state();
      const LearnerState b = actual.state();
      EXPECT_EQ(b.optimizer.steps, 7);
      EXPECT_EQ(actual.steps(), 7);
      EXPECT_THAT(b.weights.statistics, Pointwise(FloatNear(2e-3f), a.weights.statistics));
      EXPECT_THAT(b.average_statistics, Pointwise(FloatNear(2e-3f), a.average_statistics));
      double total = 0;
      for (std::size_t i = 0; i < a.weights.parameters.size(); ++i) {
        total += std::abs(a.weights.parameters[i] - b.weights.parameters[i]);
      }
      // AdamW turns the sign of a tiny gradient into a whole step, so single weights may differ by one.
      EXPECT_LT(total / static_cast<double>(a.weights.parameters.size()), 2e-4);
      const TrainingBatch batch = given.batch(99);
      const std::vector<float> policy = expected.predict(batch, true)[0];
      const std::vector<float> predicted = to_host(actual.predict(batch, true).heads[0].flatten());
      EXPECT_THAT(predicted, Pointwise(FloatNear(0.02f), policy));
    }
  }
}

TEST(DeviceTrainer, GoesOnWhereItStopped) {
  const Setting given("quoridor:5x5,walls=3");
  for (const torch::Device device : devices()) {
    DeviceTrainer whole = given.trainer(device);
    DeviceTrainer first = given.trainer(device);
    for (int step = 0; step < 3; ++step) {
      whole.step(given.batch(static_cast<std::uint64_t>(step)), 0.001);
      first.step(given.batch(static_cast<std::uint64_t>(step)), 0.001);
    }
    DeviceTrainer second = given.trainer(device);
    second.restore(first.state());
    for (int step = 3; step < 6; ++step) {
      whole.step(given.batch(static_cast<std::uint64_t>(step)), 0.001);
      second.step(given.batch(static_cast<std::uint64_t>(step)), 0.001);
    }
    EXPECT_EQ(second.steps(), 6);
    const float bound = device.is_cpu() ? 1e-6f : 2e-3f;
    EXPECT_THAT(second.state().weights.parameters, Pointwise(FloatNear(bound), whole.state().weights.parameters));
    EXPECT_THAT(second.state().optimizer.average, Pointwise(FloatNear(bound), whole.state().optimizer.average));
  }
}

TEST(DeviceTrainer, ABarePassLeavesItAsItWas) {
  const Setting given("quoridor:5x5,walls=3");
  DeviceTrainer trainer = given.trainer(torch::kCPU);
  const LearnerState before = trainer.state();
  EXPECT_GT(trainer.time_bare_pass(given.batch(1), 2), 0.0);
  EXPECT_EQ(trainer.state().weights.parameters, before.weights.parameters);
  EXPECT_EQ(trainer.state().weights.statistics, before.weights.statistics);
}

TEST(DeviceTrainer, FittingStatisticsKeepsWhatTheNetworkComputes) {
  const Setting given("quoridor:5x5,walls=3");
  for (const torch::Device device : devices()) {
    DeviceTrainer trainer = given.trainer(device);
    for (int step = 0; step < 3; ++step) trainer.step(given.batch(1), 0.01);
    const TrainingBatch batch = given.batch(2);
    const std::vector<float> before = to_host(trainer.predict(batch, false).heads[0].flatten());
    trainer.fit_statistics(batch);
    EXPECT_THAT(to_host(trainer.predict(batch, false).heads[0].flatten()), Pointwise(FloatNear(1e-3f), before));
  }
}

TEST(TrainingDevice, IsRefusedWhereItIsNot) {
  const auto refusal = [](const std::string& name) { return error_of([&] { training_device(name); }); };
  EXPECT_EQ(refusal("auto"), "no error");
  EXPECT_TRUE(training_device("cpu").is_cpu());
  EXPECT_THAT(refusal("gpu"), HasSubstr("the devices are auto, cpu, cuda, cuda:NUMBER"));
  EXPECT_THAT(refusal("cuda:x"), HasSubstr("unknown device"));
  EXPECT_THAT(refusal("cuda:77"), HasSubstr("LibTorch finds "));
}

}  // namespace
}  // namespace koridor
