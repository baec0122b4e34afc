#include "selfplay/matches/elo.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "core/base/random.h"
#include "selfplay/matches/group_scores.h"

namespace koridor {
namespace {

const RatingOptions kNoPrior{.prior_games = 0};

// All games between two players.
struct MatchScore {
  int a = 0;
  int b = 0;
  double wins = 0;  // of `a`
  double draws = 0;
  double losses = 0;
  int players = 2;  // of the game: `a` has one seat and `b` all others
  double dispersion = 1;
};

RatingFit fit_players(int players, std::span<const MatchScore> scores, const RatingOptions& options = {}) {
  std::vector<ContestScore> contests;
  for (const MatchScore& score : scores) {
    const double won = score.wins + score.draws / score.players;
    const double games = score.wins + score.draws + score.losses;
    contests.push_back({{{score.a, 1, won}, {score.b, score.players - 1, games - won}}, score.dispersion});
  }
  return fit_contests(players, contests, options);
}

std::vector<Rating> rate_players(int players, std::span<const MatchScore> scores, const RatingOptions& options = {}) {
  return fit_players(players, scores, options).ratings;
}

TEST(Elo, TwoPlayersHaveTheClosedForm) {
  const std::vector<MatchScore> scores{{0, 1, 30, 0, 10}};
  const auto ratings = rate_players(2, scores, kNoPrior);
  EXPECT_EQ(ratings[0].elo, 0);
  EXPECT_EQ(ratings[0].error95, 0);
  // 3 to 1 is 400 log10(3) = 190.85 (the wide prior takes off less than a point).
  EXPECT_NEAR(ratings[1].elo, -190.85, 1.0);
  // Fisher information 40 * 3/4 * 1/4 = 7.5 in natural units.
  EXPECT_NEAR(ratings[1].error95, 1.96 * 400 / std::numbers::ln10 / std::sqrt(7.5), 1.0);
  EXPECT_EQ(ratings[1].games, 40);
}

TEST(Elo, ADrawIsHalfAWin) {
  const auto drawn = rate_players(2, std::vector<MatchScore>{{0, 1, 0, 20, 0}});
  EXPECT_NEAR(drawn[1].elo, 0, 1e-6);
  const auto mixed = rate_players(2, std::vector<MatchScore>{{0, 1, 10, 20, 4}}, kNoPrior);
  const auto plain = rate_players(2, std::vector<MatchScore>{{0, 1, 20, 0, 14}}, kNoPrior);
  EXPECT_NEAR(mixed[1].elo, plain[1].elo, 1e-6);
}

// Tables and JSON show ratings with all their digits, and -6e-14 Elo is no difference.
TEST(Elo, RoundingMakesNoDifference) {
  for (int won = 21; won < 60; won += 3) {
    // Player 1 is as strong as the anchor, and as far from 2 as from 3; the others' games move all of them on the way.
    const double wins = won;
    const std::vector<MatchScore> scores{{0, 1, 20, 0, 20},   {1, 2, wins, 0, 10}, {1, 3, 10, 0, wins},
                                         {0, 2, wins, 0, 10}, {0, 3, 10, 0, wins}, {3, 2, 30, 0, 7}};
    EXPECT_EQ(rate_players(4, scores)[1].elo, 0) << won;
  }
  for (int players = 2; players <= 7; ++players) EXPECT_EQ(elo_difference(1.0 / players, players), 0) << players;
}

TEST(Elo, RecoversTheRatingsThatMadeTheScores) {
  const std::vector<double> truth{0, 120, 260, 255, 700};
  std::vector<MatchScore> scores;
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) {
      const double score = expected_score(truth[a] - truth[b]);
      scores.push_back({a, b, 1e6 * score, 0, 1e6 * (1 - score)});
    }
  }
  const auto ratings = rate_players(5, scores, kNoPrior);
  for (int player = 0; player < 5; ++player) EXPECT_NEAR(ratings[player].elo, truth[player], 0.01);
}

TEST(Elo, AChainAddsUpAndGrowsLessCertain) {
  std::vector<MatchScore> scores;
  for (int i = 0; i < 10; ++i) scores.push_back({i + 1, i, 30, 0, 10});
  const auto ratings = rate_players(11, scores, kNoPrior);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_NEAR(ratings[i].elo, i * 190.85, i * 25.0);
    EXPECT_GT(ratings[i].elo, ratings[i - 1].elo + 150);
    EXPECT_GT(ratings[i].error95, ratings[i - 1].error95);
  }
}

// The variance of a rating is what the inverse of the information says, and a long run's table takes no time: one of
// 20,000 generations as a run has them, each of which met two earlier ones and three baselines.
TEST(Elo, ALongRunIsRatedAtOnce) {
  constexpr int kGenerations = 20000;
  std::vector<MatchScore> scores;
  for (int generation = 3; generation < kGenerations; ++generation) {
    for (int baseline = 0; baseline < 3; ++baseline) scores.push_back({generation, baseline, 30, 0, 10});
    for (int back = 1; back <= 2; ++back) {
      if (generation - back >= 3) scores.push_back({generation, generation - back, 20, 0, 20});
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const auto ratings = rate_players(kGenerations, scores, kNoPrior);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_NEAR(ratings[10000].elo, 190.85, 5.0);
  EXPECT_NEAR(ratings[10000].error95, ratings[10001].error95, 1e-6);
}

TEST(Elo, TheIntervalIsFromTheInverseOfTheInformation) {
  // A ring of six, so that the factors have entries where the matrix has none; player 0 is the anchor.
  std::vector<MatchScore> scores;
  for (int i = 0; i < 6; ++i) scores.push_back({i, (i + 1) % 6, 50, 0, 50});
  const auto ratings = rate_players(6, scores, kNoPrior);
  // Each match is a conductance of 100/4, the variance the resistance to the anchor: i (6 - i) / 6 over 25.
  for (int i = 1; i < 6; ++i) {
    const double variance = i * (6 - i) / 6.0 / 25.0;
    EXPECT_NEAR(ratings[i].error95, 1.959964 * 400 / std::numbers::ln10 * std::sqrt(variance), 0.5) << i;
  }
}

// Two players who met often, and the anchor seldom: the anchor's error is common to them, whichever player it is.
TEST(Elo, SharedErrorsCancelInDifferencesAndStayInMeans) {
  const std::vector<MatchScore> scores{{0, 1, 10, 0, 10}, {1, 2, 200, 0, 200}};
  const RatingFit fit = fit_players(3, scores, kNoPrior);
  // Conductances of 20/4 and 400/4.
  const auto error95 = [](double variance) { return 1.959964 * 400 / std::numbers::ln10 * std::sqrt(variance); };
  const auto of_sum = [&](const std::vector<double>& weights) { return fit.error95_of_sum(weights); };
  EXPECT_NEAR(of_sum({0, 1, 0}), fit.ratings[1].error95, 1e-6);
  EXPECT_NEAR(of_sum({0, -1, 1}), error95(1 / 100.0), 0.1);
  EXPECT_NEAR(of_sum({-1, 1, 0}), error95(1 / 5.0), 0.5);
  EXPECT_NEAR(of_sum({0, 0.5, 0.5}), error95(1 / 5.0 + 0.25 / 100), 0.5);
  const RatingFit other = fit_players(3, scores, {.anchor = 2, .prior_games = 0});
  EXPECT_NEAR(other.error95_of_sum(std::vector<double>{0, -1, 1}), of_sum({0, -1, 1}), 0.1);
}

// A chain from the anchor over player 1 to player 2: the variances of both matches add up.
TEST(Elo, GamesCountByTheirDispersion) {
  const std::vector<MatchScore> scores{{.a = 0, .b = 1, .wins = 50, .losses = 50, .dispersion = 0.2},
                                       {.a = 1, .b = 2, .wins = 30, .losses = 10, .dispersion = 1.5}};
  const RatingFit fit = fit_players(3, scores, kNoPrior);
  const auto error95 = [](double variance) { return 1.959964 * 400 / std::numbers::ln10 * std::sqrt(variance); };
  EXPECT_NEAR(fit.ratings[1].error95, error95(0.2 / 25), 0.1);
  EXPECT_NEAR(fit.ratings[2].error95, error95(0.2 / 25 + 1.5 / 7.5), 0.5);
  EXPECT_NEAR(fit.error95_of_sum(std::vector<double>{0, -1, 1}), error95(1.5 / 7.5), 0.5);
  EXPECT_NEAR(fit.error95_of_sum(std::vector<double>{0, 0, 1}), fit.ratings[2].error95, 1e-3);
  EXPECT_EQ(fit.ratings[0].error95, 0);
  // The ratings are those of independent games, and a match in two parts is one match.
  const std::vector<MatchScore> parts{{.a = 0, .b = 1, .wins = 25, .losses = 25, .dispersion = 0.4},
                                      {.a = 1, .b = 0, .wins = 25, .losses = 25, .dispersion = 0.0},
                                      {.a = 1, .b = 2, .wins = 30, .losses = 10, .dispersion = 1.5}};
  for (int player = 1; player < 3; ++player) {
    const Rating rating = fit_players(3, parts, kNoPrior).ratings[player];
    EXPECT_NEAR(rating.elo, fit.ratings[player].elo, 1e-6);
    EXPECT_NEAR(rating.error95, fit.ratings[player].error95, 1e-3);
  }
  EXPECT_THROW(fit_players(2, std::vector<MatchScore>{{.b = 1, .wins = 1, .dispersion = -1}}), std::invalid_argument);
}

// Equal players in matches whose openings favour one seat: the interval holds 0 about 95 times in 100, where that of
// independent games holds it nearly always.
TEST(Elo, TheIntervalHoldsTheTruth) {
  constexpr int kMatches = 2000;
  constexpr int kPairs = 50;
  Random random(7);
  int held = 0;
  int held_by_independent = 0;
  for (int match = 0; match < kMatches; ++match) {
    GroupScores groups;
    for (int pair = 0; pair < kPairs; ++pair) {
      const double first = random.uniform();  // the first mover's chance after this opening
      groups.add(0.5 * ((random.chance(first) ? 1 : 0) + (random.chance(1 - first) ? 1 : 0)));
    }
    const double wins = groups.mean() * 2 * kPairs;
    MatchScore score{.a = 0, .b = 1, .wins = wins, .losses = 2 * kPairs - wins};
    const auto holds = [&] {
      const Rating rating = rate_players(2, std::vector{score})[1];
      return std::abs(rating.elo) <= rating.error95 ? 1 : 0;
    };
    held_by_independent += holds();
    score.dispersion = dispersion(groups, 2);
    held += holds();
  }
  EXPECT_GT(held, 0.935 * kMatches);
  EXPECT_LT(held, 0.97 * kMatches);
  EXPECT_GT(held_by_independent, 0.975 * kMatches);
}

TEST(Elo, OrderOfResultsAndOfPlayersDoesNotMatter) {
  const std::vector<MatchScore> one{{0, 1, 12, 3, 5}, {1, 2, 8, 0, 12}, {0, 2, 9, 1, 10}, {0, 1, 4, 0, 6}};
  const std::vector<MatchScore> other{{2, 0, 10, 1, 9}, {1, 0, 11, 3, 16}, {2, 1, 12, 0, 8}};
  const auto a = rate_players(3, one);
  const auto b = rate_players(3, other);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(a[i].elo, b[i].elo, 1e-6);
    EXPECT_NEAR(a[i].error95, b[i].error95, 1e-6);
  }
}

TEST(Elo, AllWinsGiveAFiniteUncertainRating) {
  const auto ratings = rate_players(2, std::vector<MatchScore>{{1, 0, 40, 0, 0}});
  EXPECT_GT(ratings[1].elo, 500);
  EXPECT_LT(ratings[1].elo, 1000);
  EXPECT_GT(ratings[1].error95, 200);
  const auto more = rate_players(2, std::vector<MatchScore>{{1, 0, 400, 0, 0}});
  EXPECT_GT(more[1].elo, ratings[1].elo);
  // Even without the pair's prior and with huge counts nothing overflows.
  const auto extreme = rate_players(3, std::vector<MatchScore>{{1, 0, 1e6, 0, 0}, {2, 1, 1e6, 0, 0}}, kNoPrior);
  for (const Rating& rating : extreme) EXPECT_TRUE(std::isfinite(rating.elo) && std::isfinite(rating.error95));
  EXPECT_GT(extreme[2].elo, extreme[1].elo);
}

TEST(Elo, APlayerWithoutGamesIsKnownToBeUnknown) {
  const auto ratings = rate_players(3, std::vector<MatchScore>{{0, 1, 5, 0, 5}});
  EXPECT_NEAR(ratings[2].elo, 0, 1e-6);
  EXPECT_GT(ratings[2].error95, 5000);
}

TEST(Elo, TheAnchorKeepsItsRating) {
  const std::vector<MatchScore> scores{{0, 1, 12, 3, 5}, {1, 2, 8, 0, 12}, {0, 2, 9, 1, 10}};
  const auto first = rate_players(3, scores, kNoPrior);
  const auto second = rate_players(3, scores, {.anchor = 2, .anchor_elo = 1500, .prior_games = 0});
  EXPECT_EQ(second[2].elo, 1500);
  EXPECT_EQ(second[2].error95, 0);
  EXPECT_NEAR(second[0].elo - second[1].elo, first[0].elo - first[1].elo, 0.5);
}

TEST(Elo, MoreGamesNarrowTheInterval) {
  const auto few = rate_players(2, std::vector<MatchScore>{{0, 1, 6, 0, 4}}, kNoPrior);
  const auto many = rate_players(2, std::vector<MatchScore>{{0, 1, 600, 0, 400}}, kNoPrior);
  EXPECT_NEAR(few[1].error95 / many[1].error95, 10.0, 0.1);
}

TEST(Elo, NonsenseIsRefused) {
  EXPECT_THROW(rate_players(2, std::vector<MatchScore>{{0, 2, 1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(rate_players(2, std::vector<MatchScore>{{1, 1, 1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(rate_players(2, std::vector<MatchScore>{{0, 1, -1, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(rate_players(2, {}, {.anchor = 2}), std::invalid_argument);
}

TEST(Elo, ScoreAndDifferenceAreInverses) {
  EXPECT_NEAR(expected_score(0), 0.5, 1e-12);
  EXPECT_NEAR(expected_score(400), 10.0 / 11.0, 1e-12);
  EXPECT_NEAR(elo_difference(expected_score(-123)), -123, 1e-9);
}

// One against three: winning a quarter of the games is being as good as the others.
TEST(Elo, GamesOfFourAreRatedByLucesModel) {
  const auto equal = rate_players(2, std::vector<MatchScore>{{0, 1, 250, 0, 750, 4}}, kNoPrior);
  EXPECT_NEAR(equal[1].elo, 0, 0.1);
  // Ten times as strong: 10 of 13 games.
  const auto strong = rate_players(2, std::vector<MatchScore>{{0, 1, 1000, 0, 300, 4}}, kNoPrior);
  EXPECT_NEAR(strong[1].elo, -400, 1);
  EXPECT_NEAR(expected_score(400, 4), 10.0 / 13.0, 1e-12);
  EXPECT_NEAR(elo_difference(expected_score(77, 3), 3), 77, 1e-9);
  // A draw is a quarter of a win.
  const auto drawn = rate_players(2, std::vector<MatchScore>{{0, 1, 0, 100, 0, 4}}, kNoPrior);
  EXPECT_NEAR(drawn[1].elo, 0, 0.1);
}

// Who is alone against the others makes no difference to the rating.
TEST(Elo, GamesOfFourFromBothSidesAgree) {
  const double alone = expected_score(120, 4);
  const double others = expected_score(-120, 4);
  const std::vector<MatchScore> scores{{0, 1, 1000 * alone, 0, 1000 * (1 - alone), 4},
                                       {1, 0, 1000 * others, 0, 1000 * (1 - others), 4}};
  EXPECT_NEAR(rate_players(2, scores, kNoPrior)[1].elo, -120, 0.5);
}

TEST(Elo, GamesOfDifferentPlayersRecoverTheirRatings) {
  // Four players of known strength in all four seats; each wins in proportion to its strength.
  const std::vector<double> truth{0, 100, -50, 300};
  double sum = 0;
  for (const double elo : truth) sum += std::pow(10, elo / 400);
  ContestScore score;
  for (int player = 0; player < 4; ++player) {
    score.parts.push_back({player, 1, 10000 * std::pow(10, truth[static_cast<std::size_t>(player)] / 400) / sum});
  }
  const auto ratings = rate_contests(4, std::vector{score}, kNoPrior);
  for (std::size_t player = 0; player < 4; ++player) EXPECT_NEAR(ratings[player].elo, truth[player], 1);
  EXPECT_NEAR(ratings[2].games, 10000, 1e-6);
  EXPECT_GT(ratings[2].error95, 0);
}

TEST(Elo, AContestOfOnePlayerIsRefused) {
  const std::vector<ContestScore> alone{{{{0, 1, 1}}}};
  EXPECT_THROW(rate_contests(2, alone), std::invalid_argument);
  const std::vector<ContestScore> twice{{{{0, 1, 1}, {0, 1, 2}}}};
  EXPECT_THROW(rate_contests(2, twice), std::invalid_argument);
}

}  // namespace
}  // namespace koridor
