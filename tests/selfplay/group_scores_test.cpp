#include "selfplay/matches/group_scores.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "selfplay/matches/interval.h"

namespace koridor {
namespace {

TEST(GroupScores, CountByScore) {
  GroupScores groups;
  groups.add(0.5);
  groups.add(1);
  groups.add(0.5, 3);
  EXPECT_EQ(groups.groups(), 5);
  EXPECT_DOUBLE_EQ(groups.mean(), 0.6);
  ASSERT_EQ(groups.entries().size(), 2u);
  EXPECT_EQ(groups.entries()[0].score, 0.5);
  EXPECT_EQ(groups.entries()[0].groups, 4);
  EXPECT_EQ(groups.entries()[1].score, 1);
}

// 30 pairs won twice, 50 shared, 20 lost twice: by hand with the half pair won and the half pair lost.
TEST(GroupScores, TheIntervalIsThatOfTheMeanOfPairs) {
  GroupScores groups;
  groups.add(1, 30);
  groups.add(0.5, 50);
  groups.add(0, 20);
  const ScoreEstimate estimate = estimate_score(groups);
  EXPECT_DOUBLE_EQ(estimate.score, 0.55);
  const double mean = 55.5 / 101;
  const double variance =
      (30.5 * (1 - mean) * (1 - mean) + 50 * (0.5 - mean) * (0.5 - mean) + 20.5 * mean * mean) / 101;
  const double error = std::sqrt(variance / 101);
  EXPECT_NEAR(estimate.low, mean - 1.96 * error, 1e-5);
  EXPECT_NEAR(estimate.high, mean + 1.96 * error, 1e-5);
  EXPECT_NEAR(estimate.los, 0.5 * std::erfc(-(mean - 0.5) / error / std::sqrt(2)), 1e-9);
}

TEST(GroupScores, SharedPairsTellMoreThanTheirGames) {
  GroupScores groups;
  groups.add(0.5, 190);
  groups.add(1, 10);
  const ScoreEstimate estimate = estimate_score(groups);
  const Interval games = wilson_interval(groups.mean(), 400);
  EXPECT_LT(estimate.high - estimate.low, 0.5 * (games.high - games.low));
  EXPECT_GT(estimate.los, 0.99);
}

TEST(GroupScores, ACleanSweepKeepsAnInterval) {
  GroupScores groups;
  groups.add(1, 20);
  const ScoreEstimate estimate = estimate_score(groups);
  EXPECT_EQ(estimate.score, 1);
  EXPECT_EQ(estimate.high, 1);
  EXPECT_LT(estimate.low, 0.95);
  EXPECT_GT(estimate.low, 0.8);
  EXPECT_GT(estimate.los, 0.99);
  GroupScores two;
  two.add(1, 2);
  EXPECT_LT(estimate_score(two).los, 0.98);
}

// An even score of four players is a quarter, and nothing that is even or less may look like strength.
TEST(GroupScores, FourPlayersAreEvenAtAQuarter) {
  GroupScores even(4);
  even.add(0.25, 10);
  EXPECT_NEAR(estimate_score(even).los, 0.5, 1e-9);
  GroupScores lost(4);
  lost.add(0, 2);
  EXPECT_LT(estimate_score(lost).los, 0.45);
  Random random(5);
  constexpr int kMatches = 1000;
  double sum = 0;
  for (int match = 0; match < kMatches; ++match) {
    GroupScores groups(4);
    for (int group = 0; group < 10; ++group) {
      double won = 0;
      for (int game = 0; game < 4; ++game) won += random.chance(0.25) ? 0.25 : 0;
      groups.add(won);
    }
    sum += estimate_score(groups).los;
  }
  EXPECT_NEAR(sum / kMatches, 0.5, 0.03);
}

TEST(GroupScores, DispersionIsWhatPairsVaryInUnitsOfIndependentGames) {
  const auto of = [](double lost, double shared, double won) {
    GroupScores groups;
    groups.add(0, lost);
    groups.add(0.5, shared);
    groups.add(1, won);
    return dispersion(groups, 2);
  };
  EXPECT_NEAR(of(100, 200, 100), 1, 1e-9);  // as independent games come out
  EXPECT_NEAR(of(1, 18, 81), 1, 1e-9);      // nine of ten games won
  EXPECT_NEAR(of(0, 1e6, 0), 0, 1e-5);      // the opening decides each game
  EXPECT_NEAR(of(5e5, 0, 5e5), 2, 1e-5);    // both games come out alike
  EXPECT_NEAR(of(0, 2, 0), 0.5, 1e-9);      // two pairs, and two of independent games
  EXPECT_NEAR(of(0, 0, 100), 1, 1e-9);      // a clean sweep says nothing of it
  EXPECT_EQ(dispersion(GroupScores(), 2), 1);
  GroupScores four(4);
  four.add(0.25, 1e6);
  EXPECT_NEAR(dispersion(four, 4), 0, 1e-5);
}

TEST(GroupScores, NoGroupsSayNothing) {
  const ScoreEstimate estimate = estimate_score(GroupScores(4));
  EXPECT_EQ(estimate.score, 0.25);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_EQ(estimate.high, 1);
  EXPECT_EQ(estimate.los, 0.5);
}

// Openings that favour one seat, as they are: the interval holds the truth about 95 times in 100.
TEST(GroupScores, TheIntervalHoldsTheTruth) {
  constexpr int kMatches = 2000;
  Random random(7);
  int held = 0;
  for (int match = 0; match < kMatches; ++match) {
    GroupScores groups;
    for (int pair = 0; pair < 50; ++pair) {
      const double first = random.uniform();  // the first mover's chance after this opening
      const double won = 0.1 + 0.8 * first;
      groups.add(0.5 * ((random.chance(won) ? 1 : 0) + (random.chance(1 - won) ? 1 : 0)));
    }
    const ScoreEstimate estimate = estimate_score(groups);
    held += estimate.low <= 0.5 && 0.5 <= estimate.high ? 1 : 0;
  }
  EXPECT_GT(held, 0.935 * kMatches);
  EXPECT_LT(held, 0.97 * kMatches);
}

}  // namespace
}  // namespace koridor
