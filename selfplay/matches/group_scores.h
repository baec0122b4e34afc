// The score of a match from its groups of games, and what it says of the players' strength.
//
// The games of a group share an opening, so that they are not independent: an opening that favours the first mover
// gives one game to each side. What is independent are the groups. Their scores (the mean points per game of one
// player) are the sample here. A group of two games has one of five scores, which is why this is called pentanomial
// (Van den Bergh, "Normalized Elo", 2020); it measures with fewer games than a sample of single games.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace koridor {

// The scores of finished groups.
class GroupScores {
 public:
  struct Entry {
    double score;   // points per game, in [0, 1]
    double groups;  // with this score
  };

  // `players`: of the game, at least 2; equal players score 1 / players on average.
  explicit GroupScores(int players = 2) : players_(players) {}

  void add(double score, double groups = 1);

  int players() const { return players_; }
  double groups() const { return groups_; }
  std::vector<Entry> entries() const;  // in rising order of the score
  double mean() const;                 // points per game; 1 / players without groups
  friend bool operator==(const GroupScores&, const GroupScores&) = default;

 private:
  int players_;
  double groups_ = 0;
  std::map<std::int64_t, double> counts_;  // by the score in millionths
};

// What the groups say of a player's score and strength.
struct ScoreEstimate {
  double score = 0;  // points per game
  double low = 0;    // 95% confidence interval of the score, in [0, 1]
  double high = 1;
  double los = 0.5;  // likelihood of superiority: that the player is stronger than the others, in [0, 1]
};

// The interval is 1.96 standard errors around the mean of the groups' scores. Both are taken with one group more, of
// which an even share was won and the rest lost: without it a clean sweep would have no error at all. The likelihood of
// superiority is the normal distribution's at the distance of that mean from an even score.
ScoreEstimate estimate_score(const GroupScores& groups);

// The dispersion of a player's points: the variance of their sum over the variance that as many independent games would
// give it, each won or lost. It is below 1 where openings decide games, so that each player of a pair wins one, and
// where games are drawn; above 1 where the games of a group come out alike. The variance is that of the groups' scores.
// Two groups with the independent games of equal players count as well, so that a few groups say little; without
// groups it is 1. `games_per_group` is at least 1, and the same in every group.
double dispersion(const GroupScores& groups, double games_per_group);

}  // namespace koridor
