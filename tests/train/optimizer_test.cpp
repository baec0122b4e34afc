#include "train/learner/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace koridor {
namespace {

TrainingConfig plain(const std::string& optimizer) {
  TrainingConfig config;
  config.optimizer = optimizer;
  config.gradient_clip = 0;
  config.weight_decay = 0;
  config.ema = 0;
  return config;
}

TEST(Optimizer, AdamWFirstStepsAreTheFormulas) {
  TrainingConfig config = plain("adamw");
  config.weight_decay = 0.1;
  std::vector<float> w = {1.0f, 1.0f};
  Optimizer optimizer(config, w, 1);  // only the first decays
  std::vector<float> g = {0.5f, 0.5f};
  optimizer.step(w, g, 0.01);
  // After one step the corrected means are g and g^2, so the move is rate * sign(g).
  EXPECT_NEAR(w[0], 1.0 - 0.01 * 0.1 - 0.01, 1e-6);
  EXPECT_NEAR(w[1], 1.0 - 0.01, 1e-6);
  EXPECT_EQ(g, (std::vector<float>{0, 0}));
  g = {0.5f, -1.0f};
  optimizer.step(w, g, 0.01);
  const double m = (0.1 * 0.9 * 0.5 - 0.1 * 1.0) / (1 - 0.81);
  const double v = (0.001 * 0.999 * 0.25 + 0.001 * 1.0) / (1 - 0.999 * 0.999);
  EXPECT_NEAR(w[1], 0.99 - 0.01 * m / std::sqrt(v), 1e-5);
}

TEST(Optimizer, SgdWithMomentum) {
  TrainingConfig config = plain("sgd");
  config.momentum = 0.5;
  config.weight_decay = 0.1;
  std::vector<float> w = {1.0f, 1.0f};
  Optimizer optimizer(config, w, 1);
  std::vector<float> g = {1.0f, 1.0f};
  optimizer.step(w, g, 0.1);
  EXPECT_NEAR(w[0], 1 - 0.1 * 1.1, 1e-6);
  EXPECT_NEAR(w[1], 0.9, 1e-6);
  g = {0.0f, 0.0f};
  optimizer.step(w, g, 0.1);
  EXPECT_NEAR(w[1], 0.9 - 0.1 * 0.5, 1e-6);
}

TEST(Optimizer, ClipsByTheGlobalNorm) {
  TrainingConfig config = plain("sgd");
  config.gradient_clip = 1;
  std::vector<float> w(4, 0.0f);
  Optimizer optimizer(config, w, 4);
  std::vector<float> g = {3.0f, 0.0f, 4.0f, 0.0f};
  EXPECT_NEAR(optimizer.step(w, g, 1.0), 5.0, 1e-6);
  EXPECT_NEAR(w[0], -0.6, 1e-6);
  EXPECT_NEAR(w[2], -0.8, 1e-6);
}

TEST(Optimizer, AStepWithoutANumberChangesNothing) {
  std::vector<float> w = {1.0f};
  Optimizer optimizer(plain("adamw"), w, 1);
  std::vector<float> g = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(std::isfinite(optimizer.step(w, g, 0.1)));
  EXPECT_EQ(w[0], 1.0f);
  EXPECT_EQ(g[0], 0.0f);
  EXPECT_EQ(optimizer.state().steps, 0);
}

TEST(Optimizer, TheAverageFollowsSlowly) {
  TrainingConfig config = plain("sgd");
  config.momentum = 0;
  config.ema = 0.9;
  std::vector<float> w = {0.0f};
  Optimizer optimizer(config, w, 1);
  double average = 0;
  for (int t = 1; t <= 200; ++t) {
    std::vector<float> g = {-1.0f};
    optimizer.step(w, g, 1.0);
    const double decay = std::min(0.9, (1.0 + t) / (10.0 + t));
    average = decay * average + (1 - decay) * t;
  }
  EXPECT_FLOAT_EQ(w[0], 200.0f);
  EXPECT_NEAR(optimizer.state().average[0], average, 1e-2);
  EXPECT_NEAR(average, 191, 0.1);  // 0.9 / (1 - 0.9) steps behind
}

TEST(Optimizer, RestoredStateGoesOnTheSame) {
  const TrainingConfig config;
  std::vector<float> w = {1.0f, 2.0f};
  Optimizer optimizer(config, w, 1);
  const auto step = [&](Optimizer& which, std::vector<float>& weights, float gradient) {
    std::vector<float> g = {gradient, -gradient};
    which.step(weights, g, 0.01);
  };
  step(optimizer, w, 0.3f);
  std::vector<float> w2 = w;
  Optimizer second(config, w2, 1);
  second.restore(optimizer.state());
  step(optimizer, w, 0.2f);
  step(second, w2, 0.2f);
  EXPECT_EQ(w, w2);
  EXPECT_EQ(optimizer.state().average, second.state().average);
}

TEST(Optimizer, NamesTheKinds) {
  EXPECT_THROW(parse_optimizer("adam"), UserError);
}

TEST(LearningRate, WarmsUpAndFallsByACosine) {
  TrainingConfig config;
  config.learning_rate = 0.002;
  config.final_learning_rate = 0.0002;
  config.warmup_steps = 100;
  EXPECT_NEAR(learning_rate(config, 0, 49), 0.001, 1e-9);
  EXPECT_NEAR(learning_rate(config, 0, 1000), 0.002, 1e-9);
  EXPECT_NEAR(learning_rate(config, 0.5, 1000), 0.0011, 1e-9);
  EXPECT_NEAR(learning_rate(config, 1, 1000), 0.0002, 1e-9);
  EXPECT_NEAR(learning_rate(config, 7, 1000), 0.0002, 1e-9);
}

}  // namespace
}  // namespace koridor
