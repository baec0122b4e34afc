// The last wall: what a two-player wall game is once one player has a single wall left and the other none.
//
// Wherever that wall will stand, a race follows (race.h). So all races that can follow are solved at once, one in each
// lane of a vector, and the game before the wall is worked out backwards beside them, by plies:
//
//     the owner wins in p + 1   where a step leads to a loss of the other in p, or some wall to such a race
//     the owner loses in p + 1  where every step leads to a win of the other in at most p, and every wall as well
//
// One table then answers for every place of the pawns, with the exact number of plies, as that of a race does.
#pragma once

#include <cstdint>

#include "core/wall/configuration.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// Whether these rules make games that it can solve: those of a race, jumps among them, with one stock of walls, on
// boards of up to 64 squares.
bool last_wall_serves(const Geometry& geometry, const Rules& rules);

struct LastWallResult {
  int digits_used = 0;
  bool complete = false;  // false: some forced win takes more plies than the digits hold
};

// Writes the plies of every position between the walls, in which `owner` (0 or 1) has the last one, as Race keeps them:
// binary digits [Race::kDigits][mover][player two's cell], each a set of player one's cells in one word. Digits from
// digits_used on are not written; where the result is not complete, no digit counts. The rules are those of
// last_wall_serves. Each thread has room of its own for the work, at most half a megabyte, which is allocated when it
// first calls this.
LastWallResult solve_last_wall(const Geometry& geometry, const Rules& rules, const Configuration& walls, int owner,
                               std::uint64_t* digits);

}  // namespace koridor::wall
