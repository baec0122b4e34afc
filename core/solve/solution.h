// The solution of a position: its value with best play of both sides, proven and not estimated. Only games of two
// players are solved: with three or four, best play depends on whom the others choose to hinder, so that no value of a
// position can be proven.
//
// Every solver has the same interface:
//   Solver(game, position, limits)    solves that position and every position that can follow it; throws UserError
//                                     where that is not possible within the limits, or for more than two players, and
//                                     SolveStopped where it is not to go on
//   bool covers(position)             whether it has the solution of that position
//   Solution solution(position)       of a covered position that is not over; many threads may call it at once
//   SolveReport report()              what was searched; likewise
// TreeSolver differs: it solves the position alone and any other where it is asked for, so that solution() takes time
// and throws as the constructor does; its memory is for one position at a time; and it leaves `keep_all` and `progress`
// of its limits alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/stopped.h"
#include "core/types.h"

namespace koridor {

enum class Proof : std::int8_t { loss = -1, draw = 0, win = 1 };  // for the player to move

// The same in points: 1, 0.5 or 0.
constexpr float points_of(Proof proof) {
  return 0.5f * static_cast<float>(static_cast<int>(proof) + 1);
}

// What one action is worth to the player who plays it.
struct SolvedAction {
  Action action = kNoAction;
  Proof value = Proof::draw;
  int distance = 0;  // plies to the end, this one included; 0 for a draw, or where the solver counts no distances
  friend bool operator==(const SolvedAction&, const SolvedAction&) = default;
};

struct Solution {
  Proof value = Proof::draw;
  // Plies to the end if the winner hurries and the loser resists; 0 for a draw, which lasts until the rules end it
  int distance = 0;
  std::vector<SolvedAction> actions;  // every legal one, in rising order
  std::vector<Action> best;           // those with this value and distance, in rising order; never empty
};

// When a solver gives up.
struct SolveLimits {
  std::size_t mebibytes = 2048;  // of memory for tables
  // Whether every position that can follow is kept; else only what the position itself needs, which takes less memory.
  bool keep_all = true;
  std::function<bool()> keep_going = {};  // asked now and then; the solver throws SolveStopped once it returns false
  // Called now and then with the progress in positions.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

// Ends a solver that is not to go on. Only who has asked it to end knows why.
class SolveStopped : public Stopped {
 public:
  // `reached` says how far it came: "5 of its 20 positions were solved".
  SolveStopped(const std::string& game, std::string reached);
  const std::string& reached() const { return reached_; }

 private:
  std::string reached_;
};

struct SolveReport {
  // Wall games: solved, each counted once up to symmetry. Other games: looked at, some of them more than once.
  std::uint64_t positions = 0;
  std::uint64_t drawn = 0;           // of these: nobody can force a win, however long the game
  std::uint64_t configurations = 0;  // wall games: arrangements of walls, up to symmetry; 0 for other games
  int longest = 0;                   // plies of the longest forced win; 0 where distances are not counted
  std::size_t bytes = 0;             // of the tables kept

  // One line for a person: what was searched, and what the cap on plies does to it.
  std::string summary(int max_plies) const;
};

// The error line for a game of three or four players.
std::string not_two_players(const std::string& game, int players);

// Fills `value`, `distance` and `best` from `actions` (not empty): the quickest win, else a draw, else the latest loss.
void choose_best(Solution& solution);

}  // namespace koridor
