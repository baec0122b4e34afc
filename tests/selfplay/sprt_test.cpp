#include "selfplay/matches/sprt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/random.h"
#include "selfplay/matches/elo.h"
#include "tests/error_of.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

std::string refusal_of_sprt(const std::string& text) {
  return error_of([&] { read_sprt(text, "--sprt"); });
}

TEST(Sprt, IsReadFromText) {
  EXPECT_EQ(read_sprt("", "--sprt"), SprtSettings{});
  const SprtSettings settings = read_sprt("elo0=-5,elo1=7.5,beta=0.1", "--sprt");
  EXPECT_EQ(settings, (SprtSettings{.elo0 = -5, .elo1 = 7.5, .alpha = 0.05, .beta = 0.1}));
  EXPECT_EQ(sprt_text(settings), "elo0=-5,elo1=7.5,alpha=0.05,beta=0.1");
  EXPECT_EQ(read_sprt(sprt_text(settings), "--sprt"), settings);
}

TEST(Sprt, RefusesWhatIsNoTest) {
  EXPECT_THAT(refusal_of_sprt("elo=5"), HasSubstr("unknown key 'elo'"));
  EXPECT_THAT(refusal_of_sprt("elo0"), HasSubstr("--sprt: \"elo0\" is not of the form key=value"));
  EXPECT_THAT(refusal_of_sprt("elo0=10,elo1=0"), HasSubstr("elo1=0 must be greater than elo0=10"));
  EXPECT_THAT(refusal_of_sprt("alpha=0.7"), HasSubstr("alpha must be a number from"));
  EXPECT_THAT(refusal_of_sprt("alpha=nan"), HasSubstr("alpha must be a number from"));
  EXPECT_THAT(refusal_of_sprt("alpha=0.01,alpha=0.02"), HasSubstr("alpha is given twice"));
  EXPECT_THAT(refusal_of_sprt("alpha=x"), HasSubstr("alpha=x: alpha must be a number"));
}

// With wins and losses alone the most likely distributions are the hypotheses themselves, and the ratio is Wald's.
TEST(Sprt, IsWaldsTestWhereThereAreOnlyWinsAndLosses) {
  GroupScores groups;
  groups.add(1, 70);
  groups.add(0, 50);
  const SprtSettings settings{.elo0 = 0, .elo1 = 50};
  const double p0 = expected_score(0);
  const double p1 = expected_score(50);
  EXPECT_NEAR(sprt_state(groups, settings).llr, 70 * std::log(p1 / p0) + 50 * std::log((1 - p1) / (1 - p0)), 1e-3);
}

TEST(Sprt, TheBoundsAreWalds) {
  const SprtState state = sprt_state(GroupScores(), {.alpha = 0.05, .beta = 0.1});
  EXPECT_EQ(state.llr, 0);
  EXPECT_NEAR(state.lower, std::log(0.1 / 0.95), 1e-12);
  EXPECT_NEAR(state.upper, std::log(0.9 / 0.05), 1e-12);
  EXPECT_EQ(state.verdict, SprtVerdict::undecided);
}

struct Runs {
  int accepted = 0;  // H1
  double pairs = 0;  // mean
};

// Tests of pairs whose two games are won with the expected score of `elo`, shifted by what the opening is worth.
Runs run_tests(double elo, const SprtSettings& settings, int tests) {
  Runs runs;
  Random random(11);
  const double score = expected_score(elo);
  for (int test = 0; test < tests; ++test) {
    GroupScores groups;
    SprtState state;
    while (state.verdict == SprtVerdict::undecided) {
      const double luck = 0.6 * (random.uniform() - 0.5);
      groups.add(0.5 * ((random.chance(score + luck) ? 1 : 0) + (random.chance(score - luck) ? 1 : 0)));
      state = sprt_state(groups, settings);
    }
    runs.accepted += state.verdict == SprtVerdict::accept_h1 ? 1 : 0;
    runs.pairs += groups.groups() / tests;
  }
  return runs;
}

TEST(Sprt, ErrsAsOftenAsItMay) {
  const SprtSettings settings{.elo0 = 0, .elo1 = 60, .alpha = 0.05, .beta = 0.1};
  constexpr int kTests = 400;
  const Runs under_h0 = run_tests(0, settings, kTests);
  const Runs under_h1 = run_tests(60, settings, kTests);
  // 0.05 and 0.1 with three standard errors of the sample.
  EXPECT_LT(under_h0.accepted, (0.05 + 0.033) * kTests);
  EXPECT_GT(under_h1.accepted, (0.9 - 0.045) * kTests);
  EXPECT_LT(under_h1.pairs, 250);
  // Far above H1 it is decided sooner.
  EXPECT_LT(run_tests(200, settings, 50).pairs, 0.5 * under_h1.pairs);
}

TEST(Sprt, DecidesGamesOfFour) {
  GroupScores groups(4);
  groups.add(0.5, 100);  // an even score is a quarter
  EXPECT_EQ(sprt_state(groups, {}).verdict, SprtVerdict::accept_h1);
  GroupScores even(4);
  even.add(0.25, 4000);
  EXPECT_EQ(sprt_state(even, {}).verdict, SprtVerdict::accept_h0);
}

}  // namespace
}  // namespace koridor
