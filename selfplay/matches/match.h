// Matches between two players, A and B: many games at once on all threads, paired so that the luck of openings and
// seats falls on both alike.
//
// The games of a group share one opening, some random plies. In a group, player A sits in each seat once and player B
// in all the others; with two seats a group is a pair of games with the colours swapped.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "core/search/clock.h"
#include "selfplay/matches/players.h"

namespace koridor {

// A finished game, as MatchOptions::on_game gets it.
struct MatchGame {
  int number = 0;  // in [0, games)
  int seat = 0;    // of player A
  Outcome outcome{};
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
  TimeControl clock{};  // of each player in each game
  Evaluation evaluation = match_evaluation();

  // Called by one thread at a time.
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

// From player A's side.
struct MatchResult {
  std::array<SeatScore, kMaxPlayers> by_seat{};
  double score = 0;  // mean points per game: 1 for a win, 1/players for a draw
  double low = 0;    // the score's 95% confidence interval (Wilson 1927)
  double high = 0;
  double mean_plies = 0;  // per game, opening included
  bool stopped = false;   // `stop` was set before the last game; the numbers are of the games that were finished

  SeatScore total() const;
};

// The result does not depend on the number of threads and slots, except on a GPU (models/README.md). After an opening
// nobody has won or wins within two plies, where such an opening can be found. Throws UserError where a model does not
// fit the game.
MatchResult play_match(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b, const MatchOptions& options,
                       const std::atomic<bool>& stop);

}  // namespace koridor
