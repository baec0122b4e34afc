#include "train/learner/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "train/learner/replay_window.h"

namespace koridor {
namespace {

// Logits of a distribution.
std::vector<float> logits_of(std::vector<float> shares) {
  for (float& share : shares) share = std::log(share);
  return shares;
}

TEST(Quality, OfOneSample) {
  // The network likes the illegal third action best, and of the legal ones the second.
  const std::vector<float> policy = logits_of({0.2f, 0.3f, 0.5f});
  const std::vector<float> legal{0.0f, 0.0f, kIllegal};
  const std::vector<float> truth{0.25f, 0.75f, 0.0f};
  const std::vector<float> value = logits_of({0.5f, 0.3f, 0.2f});
  const std::vector<float> won{1.0f, 0.0f, 0.0f};
  const PredictionQuality quality = quality_of({1, 3, 2, policy, legal, truth, value, won});
  EXPECT_EQ(quality.samples, 1);
  EXPECT_NEAR(quality.policy_entropy(), -0.25 * std::log(0.25) - 0.75 * std::log(0.75), 1e-6);
  EXPECT_EQ(quality.top1(), 1);
  EXPECT_NEAR(quality.value_brier(), 0.4 * 0.4, 1e-6) << "0.5 + 0.2 / 2 of 1";
  EXPECT_NEAR(quality.value_calibration_error(), 0.4, 1e-6);
  const std::vector<float> first{0.75f, 0.25f, 0.0f};
  EXPECT_EQ(quality_of({1, 3, 2, policy, legal, first, value, won}).top1(), 0);
  const std::vector<float> both{0.5f, 0.5f, 0.0f};
  EXPECT_EQ(quality_of({1, 3, 2, policy, legal, both, value, won}).top1(), 1) << "any of the likeliest";
  const std::vector<float> drawn{0.0f, 0.0f, 1.0f};
  EXPECT_NEAR(quality_of({1, 3, 2, policy, legal, truth, value, drawn}).value_brier(), 0.01, 1e-6);
}

TEST(Quality, SamplesWithoutAPolicyCountForTheValueOnly) {
  const std::vector<float> policy{0.0f, 1.0f, 0.0f, 1.0f};
  const std::vector<float> legal(4, 0.0f);
  const std::vector<float> truth{0.0f, 1.0f, 0.0f, 0.0f};
  const std::vector<float> value(6, 0.0f);
  const std::vector<float> won{1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
  const PredictionQuality quality = quality_of({2, 2, 2, policy, legal, truth, value, won});
  EXPECT_EQ(quality.samples, 2);
  EXPECT_EQ(quality.policies, 1);
  EXPECT_EQ(quality.top1(), 1.0);
}

// 0.8 is said 10 times and 6 are won; 0.2 is said 10 times and 2 are won.
TEST(Quality, CalibrationIsOfBinsAndSumsAddUp) {
  const std::vector<float> policy{0.0f};
  const std::vector<float> truth{1.0f};
  PredictionQuality sum;
  for (int i = 0; i < 20; ++i) {
    const float said = i < 10 ? 0.8f : 0.2f;
    const bool win = i < 6 || i >= 18;
    const std::vector<float> value = logits_of({said, 1.0f - said, 1e-20f});
    const std::vector<float> outcome{win ? 1.0f : 0.0f, win ? 0.0f : 1.0f, 0.0f};
    sum.add(quality_of({1, 1, 2, policy, policy, truth, value, outcome}));
  }
  EXPECT_NEAR(sum.value_calibration_error(), 0.5 * 0.2 + 0.5 * 0.0, 1e-6);
  EXPECT_NEAR(sum.value_brier(), (6 * 0.04 + 4 * 0.64 + 8 * 0.04 + 2 * 0.64) / 20, 1e-6);
  sum.scale(0.5);
  EXPECT_NEAR(sum.value_calibration_error(), 0.1, 1e-6);
  EXPECT_EQ(sum.samples, 10);
}

}  // namespace
}  // namespace koridor
