// Matches between two players, A and B: many games at once on all threads, paired so that the luck of openings and
// seats falls on both alike.
//
// The games of a group share one opening. In a group, player A sits in each seat once and player B
// in all the others; with two seats a group is a pair of games with the colours swapped.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/registry.h"
#include "core/search/clock.h"
#include "selfplay/matches/adjudication.h"
#include "selfplay/matches/forfeit.h"
#include "selfplay/matches/group_scores.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/sprt.h"

namespace koridor {

// Who sits where: the player's index by seat; 0 A, 1 B in a match.
using Seating = std::array<std::int16_t, kMaxPlayers>;

// A finished game, as MatchOptions::on_game gets it.
struct MatchGame {
  int number = 0;   // in [0, games)
  int contest = 0;  // of a tournament (schedule.h)
  int group = 0;    // of its contest
  Seating seats{};
  int seat = 0;  // of player A, or of the contest's first player
  // Where a player forfeited, it has 0 points and the others share 1; with more than two players that is of the kind
  // `draw`.
  Outcome outcome{};
  EndReason reason{};     // why it ended, unless by the game's rules
  int would_resign = -1;  // the seat that the resign rule would have ended a game for that was played on; -1: none
  int opening_plies = 0;
  std::vector<Action> actions{};  // of the whole game, opening included
};

struct MatchOptions {
  int games = 100;           // rounded up to whole groups
  double opening_plies = 2;  // mean length of a group's opening; the fraction is the chance of one more ply
  int seat = -1;             // A's seat in every game (0 moves first; a group is then one game); -1: every seat in turn
  std::uint64_t seed = 1;
  int threads = 0;         // 0: all cores
  int slots = 32;          // games in flight per thread
  double temperature = 0;  // of the searches' choice in the first temperature_plies plies after the opening
  int temperature_plies = 0;
  // Where openings come from, unless by lot: group g begins with `openings[(first_opening + g) % size]`, or with
  // opening_plies plies on average that this player plays for every seat.
  std::shared_ptr<const std::vector<std::vector<Action>>> openings{};
  std::size_t first_opening = 0;
  std::optional<MatchPlayer> opening_player{};
  Adjudication adjudication{};
  std::optional<SprtSettings> sprt{};  // ends the match as soon as it has decided; `games` is then the most
  TimeControl clock{};                 // of each player in each game
  Evaluation evaluation = match_evaluation();

  // Games of an earlier start of the same match: they count and are not played again.
  std::vector<MatchGame> played{};

  // Called by one thread at a time; `done` counts those played before.
  std::function<void(int done, int games)> progress{};
  std::function<void(const MatchGame&)> on_game{};
};

struct SeatScore {
  int games = 0;
  int wins = 0;
  int draws = 0;
  int losses = 0;
  friend bool operator==(const SeatScore&, const SeatScore&) = default;
};

// How often a player's games ended otherwise than by the rules.
struct FaultCounts {
  std::array<int, kForfeitKinds> lost{};  // by Forfeit::Kind
  friend bool operator==(const FaultCounts&, const FaultCounts&) = default;
};

// From player A's side, of the whole groups: games of a group that has not ended would favour the seats and the
// openings whose games are short. Where a sequential test has decided, the groups count up to the one that decided it,
// in the order of their numbers; other games may have ended meanwhile.
struct MatchResult {
  std::array<SeatScore, kMaxPlayers> by_seat{};
  GroupScores groups{};
  double score = 0;  // mean points per game: 1 for a win, 1/players for a draw
  double low = 0;    // the score's 95% confidence interval, and the likelihood that A is stronger (group_scores.h)
  double high = 0;
  double los = 0.5;
  std::optional<SprtState> sprt{};
  int tested_groups = 0;                // those that it is of: the first, up to one that had not ended
  double mean_plies = 0;                // per game, opening included
  std::array<FaultCounts, 2> faults{};  // of A and of the others
  int proven = 0;                       // games that a proven result ended
  int draw_rule = 0;                    // games that the draw rule ended
  int played_on = 0;                    // games that went on after a player would have resigned
  int wrong_resignations = 0;           // those of them in which that player got a point or a part of it
  int repeated = 0;                     // games that went as one before them did, move by move and from the same seats
  bool stopped = false;                 // `stop` was set before the last game
  int left_out = 0;                     // games that ended and do not count, since their groups had not ended then

  SeatScore total() const;
};

// The result does not depend on the number of threads and slots, except on a GPU (models/README.md). After a random
// opening nobody has won or wins within two plies, where such an opening can be found. Throws UserError where a model
// does not fit the game.
MatchResult play_match(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b, const MatchOptions& options,
                       const std::atomic<bool>& stop);

}  // namespace koridor
