#include "train/learner/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "tests/numbers.h"

namespace koridor {
namespace {

using test::random_values;

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

// Row i of `a` times row j of `b`, both [rows, columns].
double product(const std::vector<float>& a, int i, const std::vector<float>& b, int j, int columns) {
  return std::inner_product(a.begin() + i * columns, a.begin() + (i + 1) * columns, b.begin() + j * columns, 0.0);
}

TEST(Orthogonalise, KeepsTheSingularVectorsAndMakesTheValuesAboutOne) {
  constexpr int kRows = 8;
  constexpr int kColumns = 72;
  std::vector<float> given = random_values(kRows * kColumns, 3);
  for (float& value : given) value *= 100.0f;
  std::vector<float> turned = given;
  orthogonalise(turned, kRows, kColumns);
  for (int i = 0; i < kRows; ++i) {
    // x = U S V^T and its turned U S' V^T have x' x^T = U S' S U^T, which is symmetric and positive.
    EXPECT_GT(product(turned, i, given, i, kColumns), 0.0);
    for (int j = 0; j < i; ++j) {
      EXPECT_NEAR(product(turned, i, given, j, kColumns), product(turned, j, given, i, kColumns), 0.1);
      EXPECT_NEAR(product(turned, i, turned, j, kColumns), 0.0, 0.3);
    }
    EXPECT_NEAR(product(turned, i, turned, i, kColumns), 1.0, 0.4);
  }

  std::vector<float> upright(given.size());  // its transpose
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) upright[j * kRows + i] = given[i * kColumns + j];
  }
  orthogonalise(upright, kColumns, kRows);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) EXPECT_NEAR(upright[j * kRows + i], turned[i * kColumns + j], 1e-4);
  }

  std::vector<float> zeros(6, 0.0f);
  orthogonalise(zeros, 2, 3);
  EXPECT_EQ(zeros, std::vector<float>(6, 0.0f));
}

// A share of 1e-8 is less than a float can take from 1, and comes about as a part of the steps.
TEST(Optimizer, WeightsDecayAtTheSmallestRates) {
  constexpr int kCount = 1000;
  constexpr int kSteps = 100;
  for (const char* kind : {"adamw", "muon"}) {
    const auto mean_after = [&](double decay) {
      TrainingConfig config = plain(kind);
      config.weight_decay = decay;
      std::vector<float> w(kCount, 1.5f);
      Optimizer optimizer(config, w, kCount, {{.offset = 0, .rows = 20, .columns = 50, .share = 1.0f}});
      for (std::uint64_t step = 0; step < kSteps; ++step) {
        std::vector<float> g = random_values(kCount, step);
        optimizer.step(w, g, 1e-4);
      }
      return std::accumulate(w.begin(), w.end(), 0.0) / kCount;
    };
    const double decayed = kSteps * 1e-8 * 1.5;
    EXPECT_NEAR(mean_after(0.0) - mean_after(1e-4), decayed, 0.2 * decayed) << kind;
  }
}

TEST(Optimizer, MuonTurnsTheMatricesAndLeavesTheRestToAdamW) {
  TrainingConfig config = plain("muon");
  config.weight_decay = 0.1;
  const std::vector<float> start(12, 1.0f);
  std::vector<float> w = start;
  std::vector<float> adamw = start;
  Optimizer optimizer(config, w, 10, {{.offset = 2, .rows = 2, .columns = 3, .share = 0.5f}});
  config.optimizer = "adamw";
  Optimizer other(config, adamw, 10);
  std::vector<float> mean(6, 0.0f);
  std::vector<float> expected(6, 1.0f);
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::vector<float> g = random_values(12, step);
    std::vector<float> direction(6);
    for (std::size_t i = 0; i < 6; ++i) {
      mean[i] = 0.95f * mean[i] + 0.05f * g[2 + i];
      direction[i] = 0.95f * mean[i] + 0.05f * g[2 + i];
    }
    orthogonalise(direction, 2, 3);
    for (std::size_t i = 0; i < 6; ++i) {
      expected[i] -= 0.01f * (0.1f * expected[i] + 0.5f * 0.2f * std::sqrt(3.0f) * direction[i]);
    }
    std::vector<float> same = g;
    optimizer.step(w, g, 0.01);
    other.step(adamw, same, 0.01);
  }
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], i >= 2 && i < 8 ? expected[i - 2] : adamw[i], 1e-5) << i;
}

TEST(Optimizer, ThreadsThatShareTheMatricesOfMuonChangeNoBit) {
  const std::vector<HiddenMatrix> matrices{{.offset = 0, .rows = 8, .columns = 30}, {250, 6, 9}, {304, 8, 30}};
  std::vector<float> alone = random_values(600, 1);
  std::vector<float> shared = alone;
  Optimizer one(plain("muon"), alone, 600, matrices);
  Optimizer other(plain("muon"), shared, 600, matrices);
  ThreadGroup threads(3);
  for (std::uint64_t step = 0; step < 4; ++step) {
    std::vector<float> g = random_values(600, 2 + step);
    std::vector<float> same = g;
    one.step(alone, g, 0.01);
    other.step(shared, same, 0.01, &threads);
  }
  EXPECT_EQ(alone, shared);
  EXPECT_NE(alone, random_values(600, 1));
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
