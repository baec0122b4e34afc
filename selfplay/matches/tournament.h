// Tournaments: several players, each two (or as many as a game has seats) of whom meet, and what their games say: a
// table of Elo, a cross table, and who beats whom in a circle.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/elo.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/schedule.h"

namespace koridor {

enum class TournamentForm : std::uint8_t {
  round_robin,  // everybody meets everybody
  gauntlet,     // the first player meets all others
};

struct TournamentSettings {
  TournamentForm form = TournamentForm::round_robin;
  int games = 100;            // of each contest (schedule.h), rounded up to whole groups
  bool permutations = false;  // of more than two players: every order of them, and not only every player in every seat
  int anchor = 0;             // this player's Elo is anchor_elo
  double anchor_elo = 0;
};

// Who meets whom. In games for more than two as many different players meet as there are seats, in every combination;
// where there are fewer players than seats, one meets another in all other seats, and the other way round. Throws
// UserError for fewer than two players, and where there would be more than 100 million games.
Schedule tournament_schedule(int players_of_game, int players, const TournamentSettings& settings);

struct Standing {
  int games = 0;
  double points = 0;  // of all its seats: a win is 1, a draw 1/players
  SeatScore score{};  // counts every seat: a player with three of a game's seats has three results of it
  Rating rating{};    // by maximum likelihood over all games
  FaultCounts faults{};
};

// What one player got of the points that the two got together, seat by seat: in games for two the score.
struct CrossScore {
  int games = 0;
  double share = 0.5;
  double los = 0.5;  // likelihood that it is the stronger of the two, from the groups (group_scores.h)
};

// Each beats the next one, and the last one the first. Where the results of a round robin are in no order of strength,
// there is such a circle of three.
struct Cycle {
  std::array<int, 3> players{};
  double los = 0.5;  // the least of the three likelihoods that it is real
};

// A thousand players of even strength have ten million circles.
constexpr std::size_t kMostCycles = 100;

struct TournamentResult {
  std::vector<Standing> standings{};             // by player
  std::vector<std::vector<CrossScore>> cross{};  // [player][opponent]; no games where they did not meet
  std::vector<Cycle> cycles{};                   // the likeliest first, at most kMostCycles
  int games = 0;                                 // that were finished
  int left_out = 0;  // of these: of groups that are not whole, whose seats and openings would weigh more than others
  int repeated = 0;  // of the others: games of a contest that went as one of it before them (repeats.h)
  bool stopped = false;
};

// Collects the finished games of a tournament, in any order. All figures but the faults are of whole groups.
class TournamentTally {
 public:
  TournamentTally(int players_of_game, int players, Schedule schedule);

  // Each number once.
  void add(const MatchGame& game);
  int done() const { return done_; }
  TournamentResult result(const TournamentSettings& settings) const;

 private:
  // Returns the points per seat of the contest's players.
  std::vector<double> count(const MatchGame& game);
  void count_group(const std::vector<MatchGame>& games);
  CrossScore cross_score(std::size_t a, std::size_t b) const;
  // Of a contest of two players (group_scores.h); games of more players count as independent.
  double dispersion_of(std::size_t contest) const;

  int seats_;  // of the game
  Schedule schedule_;
  std::vector<Standing> standings_;
  std::vector<ContestScore> contests_;
  std::vector<GroupScores> firsts_;                          // by contest of two players: the first one's scores
  std::vector<std::vector<std::uint64_t>> moves_;            // by contest: hashes of the counted games (repeats.h)
  std::vector<std::vector<std::vector<MatchGame>>> groups_;  // [contest][group]: games of groups that are not whole
  // [player][opponent]: games in which they met, the first one's points per seat, and the groups' scores, where even
  // is 1/2.
  std::vector<std::vector<int>> met_;
  std::vector<std::vector<double>> points_;
  std::vector<std::vector<GroupScores>> scores_;
  int done_ = 0;
  int counted_ = 0;
};

// Plays all games that options.played does not name. `options.games` and `options.seat` are of matches and ignored.
TournamentResult play_tournament(const AnyGame& game, std::span<const MatchPlayer> players,
                                 const TournamentSettings& settings, const MatchOptions& options,
                                 const std::atomic<bool>& stop);

}  // namespace koridor
