// The games of a match or a tournament: who meets whom in which seats, in which order, and playing them all.
//
// A contest is a set of players that meet. Its games come in groups, which share an opening; in a group every seating
// of the contest is played once. Group g of every contest has the same opening. The contests take turns after some
// groups, so that a tournament that is stopped has played about as much of each.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/players.h"

namespace koridor {

struct Contest {
  std::vector<int> players;       // indices of who meets; MatchGame::seat is the first one's
  std::vector<Seating> seatings;  // of a group's games
};

// Player `a` in one seat and player `b` in all the others: a group has `a` in each seat once, or only in `seat` where
// that is not negative.
Contest one_against_others(int players_of_game, int a, int b, int seat = -1);

// As many different players as the game has seats. A group has every player in every seat once (rotations), or every
// order of the players (permutations).
Contest all_different(std::span<const int> players, bool permutations);

struct ScheduledGame {
  int contest = 0;  // index in Schedule::contests
  int group = 0;    // of its contest
  Seating seats{};
};

struct Schedule {
  // All contests have as many seatings.
  std::vector<Contest> contests;
  int groups = 0;  // of each contest

  int group_size() const { return contests.empty() ? 0 : static_cast<int>(contests.front().seatings.size()); }
  int games() const { return static_cast<int>(contests.size()) * groups * group_size(); }
  // The game of this number, in [0, games()).
  ScheduledGame game(int number) const;
};

// The games of a match: player 0 is A and player 1 is B.
Schedule match_schedule(int players_of_game, const MatchOptions& options);

// What is played; all must outlive the play.
struct ScheduledGames {
  const AnyGame& game;
  std::span<const MatchPlayer> players;  // whom the schedule's seatings name
  const Schedule& schedule;
  const MatchOptions& options;
};

// Plays the games that are not among options.played, in the order of their numbers, on all threads. `keep` is called by
// one thread at a time with each game that ends; where it returns false no more games are begun or finished, as where
// `stop` was set. A game depends on its number, the players and the options, and not on the threads and slots. Throws
// UserError where a model does not fit the game.
void play_schedule(const ScheduledGames& games, const std::function<bool(const MatchGame&)>& keep,
                   const std::atomic<bool>& stop);

}  // namespace koridor
