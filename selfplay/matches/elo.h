// Elo ratings from match results, by maximum likelihood.
//
// Model for two players (Bradley and Terry 1952): a player rated r_a scores p = 1 / (1 + 10^((r_b - r_a) / 400)) on
// average against one rated r_b; a draw counts as half a win and half a loss.
//
// Model for n players: Luce's choice axiom (Luce 1959; Hunter 2004, section 5, for the likelihood): each player wins in
// proportion to its strength 10^(r / 400). A match has A in one seat and B in the n - 1 others, so A wins with
// p = 1 / (1 + (n - 1) 10^((r_b - r_a) / 400)); equal players win 1/n each, and a draw counts 1/n. It is the
// generalisation of Bradley and Terry that needs no more than who won: the order of the losers means nothing here, as
// it would to Plackett's (1975). Ratings of n-player games so have the same unit: +400 is ten times the strength.
//
// The log-likelihood is concave, so Newton's method finds its
// one maximum. Two weak priors keep it finite: a fraction of a drawn game between any two players that met (all-wins
// would else be infinitely far apart), and a very wide normal distribution around the anchor (for players nobody links
// to it).
#pragma once

#include <span>
#include <vector>

namespace koridor {

// All games between two players, `a` and `b` their indices.
struct MatchScore {
  int a = 0;
  int b = 0;
  double wins = 0;  // of a
  double draws = 0;
  double losses = 0;
  int players = 2;  // of the game: `a` has one seat, `b` all the others
};

struct Rating {
  double elo = 0;
  double error95 = 0;  // half the width of the 95% confidence interval, relative to the anchor; 0 for the anchor
  double games = 0;
};

struct RatingOptions {
  int anchor = 0;          // this player's rating is fixed ...
  double anchor_elo = 0;   // ... here
  double prior_games = 1;  // drawn games added to each pair that met, >= 0
};

// One rating a player, in order. The interval is from the inverse of the Fisher information of the games and priors
// (1.96 standard deviations). Throws std::invalid_argument where an index or a count makes no sense.
std::vector<Rating> rate_players(int players, std::span<const MatchScore> scores, const RatingOptions& options = {});

// The score (0 to 1) a rating difference predicts, and the difference a score in (0, 1) is worth, of one player against
// `players` - 1 equal others.
double expected_score(double elo_difference, int players = 2);
double elo_difference(double score, int players = 2);

}  // namespace koridor
