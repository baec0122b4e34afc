// Matches between two players: many games at once on all threads, paired so that the luck of openings and seats falls
// on both alike.
//
// Games come in groups of one opening: some random plies, the same in all games of the group, in which player A sits in
// each seat once (with two players: a pair with the colours swapped) and player B in all the others.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/clock.h"
#include "selfplay/matches/players.h"

namespace koridor {

// A finished game, for those who want to see it.
struct MatchGame {
  int number = 0;  // in [0, games)
  int seat = 0;    // of player A
  Outcome outcome{};
  int opening_plies = 0;
  std::vector<Action> actions{};  // those of the opening included
};

struct MatchOptions {
  int games = 100;           // rounded up to whole groups
  double opening_plies = 2;  // mean number of random plies before a group; a fraction is the chance of one more
  int seat = -1;             // A always sits here (0 moves first), a group is one game then; -1: every seat in turn
  std::uint64_t seed = 1;
  int threads = 0;            // 0: all cores
  int slots = 32;             // games in flight in each thread
  double temperature = 0;     // of the searches' choice in the first temperature_plies plies
  int temperature_plies = 0;  // after the opening
  Clock clock{};              // of each player in each game; players that know no clock take the time they take
  Evaluation evaluation = match_evaluation();

  // Both are called by one thread at a time.
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
  double score = 0;  // points a game, a win 1, a draw 1/players
  double low = 0;    // the score's 95% confidence interval (Wilson 1927)
  double high = 0;
  double mean_plies = 0;  // of a game, opening included
  bool stopped = false;   // `stop` came before the last game; the numbers are of the games that were finished

  SeatScore total() const;
};

// Equal for equal arguments whatever the number of threads and slots (on a GPU these are part of what results depend
// on, models/README.md). Openings are drawn so that nobody has won yet nor wins within two plies, where such can be
// found. Throws UserError where a model does not fit the game.
MatchResult play_match(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b, const MatchOptions& options,
                       const std::atomic<bool>& stop);

}  // namespace koridor
