// The last walls: what a two-player wall game is once a single wall is left to be placed, or two.
//
// Wherever the last wall will stand, a race follows (race.h). So all races that can follow are solved at once, one in
// each lane of a vector, and the game before the wall is worked out backwards beside them, by plies:
//
//     the owner wins in p + 1   where a step leads to a loss of the other in p, or some wall to such a race
//     the owner loses in p + 1  where every step leads to a win of the other in at most p, and every wall as well
//
// One table then answers for every place of the pawns, with the exact number of plies, as that of a race does. What
// comes before the last wall but one is worked out in the same way from the tables behind each place for that wall.
//
// A wall is the last one, too, where the players have more of them and no other fits beside it (fitting_walls.h). Then
// the one who places it may be either player who has one left.
#pragma once

#include <array>
#include <cstdint>

#include "core/wall/configuration.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// How many walls may be left to be placed in the games that these rules make and that are solved here: 2 on boards of
// up to 32 squares, 1 on boards of up to 64, by rules of a race, with jumps and one stock of walls; else 0.
int most_last_walls(const Geometry& geometry, const Rules& rules);

struct LastWallsResult {
  int digits_used = 0;
  int rounds = 0;         // no forced win takes more than 2 * rounds plies
  bool complete = false;  // false: some forced win takes more plies than the digits hold
};

// Writes the plies of every position between the walls, in which the players have `left` walls. One or two walls can be
// placed: the players have no more together, or no more fit. The plies are written as Race keeps them: binary digits
// [Race::kDigits][mover][player two's cell], each a set of player one's cells in one word. Digits from digits_used on
// are not written; where the result is not complete, no digit counts. The board has up to 64 squares, and the rules are
// otherwise those of most_last_walls. Each thread has room of its own for the work, at most one megabyte, which is
// allocated when it first calls this.
LastWallsResult solve_last_walls(const Geometry& geometry, const Rules& rules, const Configuration& walls,
                                 std::array<int, 2> left, std::uint64_t* digits);

// Squares as the digits hold them, bit row * columns + column; of a board of up to 64 squares.
std::uint64_t dense(const Geometry& geometry, const Bitboard& squares);

}  // namespace koridor::wall
