// Elo ratings from match results, by maximum likelihood.
//
// Model for two players (Bradley and Terry 1952): a player rated r_a scores p = 1 / (1 + 10^((r_b - r_a) / 400)) on
// average against one rated r_b; a draw counts as half a win and half a loss.
//
// Model for n players: Luce's choice axiom (Luce 1959; Hunter 2004, section 5, for the likelihood): each seat wins in
// proportion to its player's strength 10^(r / 400), whoever sits in the others. In a match A has one seat and B the
// n - 1 others, so A wins with p = 1 / (1 + (n - 1) 10^((r_b - r_a) / 400)); equal players win 1/n each, and a draw
// counts 1/n. This generalisation of Bradley and Terry needs only the winner of a game. Plackett's (1975) also needs
// the order of the losers, which our games do not have. Ratings have the same unit for any n: +400 is ten times the
// strength.
//
// The log-likelihood is concave, so Newton's method finds its one maximum. Two weak priors keep it finite:
//   prior_games drawn games among any players that met, without which a clean sweep would be infinitely far, and
//   a very wide normal distribution around the anchor, for players that no chain of matches links to it.
//
// The ratings are those that independent games would give. Their errors are not, where games share openings: the
// covariance is the sandwich I^-1 M I^-1 (Huber 1967; White 1982) of the information I and the variance M of the
// log-likelihood's slope, in which the games between the same players count by their dispersion (group_scores.h).
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace koridor {

// All games of the same players, who each have as many seats in every one of them. A game gives one point, which may be
// shared.
struct ContestScore {
  struct Part {
    int player = 0;     // index; each player has one part
    int seats = 1;      // at least 1
    double points = 0;  // in all games together
  };
  std::vector<Part> parts;  // at least two
  double dispersion = 1;    // of the points, >= 0; 1 for independent games
};

struct Rating {
  double elo = 0;
  double error95 = 0;  // half the width of the 95% confidence interval, relative to the anchor; 0 for the anchor
  double games = 0;
};

struct RatingOptions {
  int anchor = 0;          // this player's rating is fixed ...
  double anchor_elo = 0;   // ... here
  double prior_games = 1;  // drawn games added to those of the same players, >= 0
};

struct RatingFit {
  std::vector<Rating> ratings{};  // [players]
  // Half the width of the 95% interval of the sum of the ratings, each times its weight, relative to the anchor.
  // Ratings share errors, above all that of the anchor: they stay in a mean, and cancel in a difference, whose weights
  // add up to 0.
  std::function<double(std::span<const double> weights)> error95_of_sum{};
};

// One rating per player, in the order of their indices. The intervals are 1.96 standard deviations. Throws
// std::invalid_argument where an index, a count or a dispersion is out of range.
RatingFit fit_contests(int players, std::span<const ContestScore> scores, const RatingOptions& options = {});
// The ratings alone.
std::vector<Rating> rate_contests(int players, std::span<const ContestScore> scores, const RatingOptions& options = {});

// The score in [0, 1] that a rating difference predicts for one player against `players` - 1 equal others, and the
// rating difference that a score in (0, 1) is worth.
double expected_score(double elo_difference, int players = 2);
double elo_difference(double score, int players = 2);

}  // namespace koridor
