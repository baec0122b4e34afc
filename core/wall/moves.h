// Where the pawn of the player to move may go.
#pragma once

#include "core/wall/bitboard.h"
#include "core/wall/game.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

enum class Direction : std::uint8_t { north, east, south, west };

// The square one step on; meaningless where an edge is in the way.
constexpr Square step(Square square, Direction direction) {
  constexpr std::array<int, 4> kOffset = {-16, 1, 16, -1};
  return static_cast<Square>(square + kOffset[static_cast<int>(direction)]);
}

// Whether neither wall nor edge is in the way. A wall reaches one square further than its anchor, east or south; the
// grid's column 15 is never used, so that looking past the western edge finds nothing.
inline bool is_open(const Geometry& geometry, const State& state, Square square, Direction direction) {
  const auto passable = [](const Bitboard& walls, int anchor, int beside) {
    return !walls.test(static_cast<Square>(anchor)) && !walls.test(static_cast<Square>(beside));
  };
  switch (direction) {
    case Direction::north:
      return row_of(square) > 0 && passable(state.horizontal, square - 16, square - 17);
    case Direction::south:
      return row_of(square) < geometry.rows - 1 && passable(state.horizontal, square, square - 1);
    case Direction::west:
      return column_of(square) > 0 && passable(state.vertical, square - 1, square - 17);
    case Direction::east:
      return column_of(square) < geometry.columns - 1 && passable(state.vertical, square, square - 16);
  }
  return false;
}

inline bool is_occupied(const Geometry& geometry, const State& state, Square square) {
  for (int player = 0; player < geometry.players; ++player) {
    if (state.pawns[player * kMaxPawns] == square) return true;
  }
  return false;
}

// The squares the pawn of the player to move may go to, jumps included.
inline Bitboard pawn_moves(const Geometry& geometry, const Rules& rules, const State& state) {
  Bitboard moves;
  const Square from = state.pawns[state.player * kMaxPawns];
  for (const Direction ahead : {Direction::north, Direction::east, Direction::south, Direction::west}) {
    if (!is_open(geometry, state, from, ahead)) continue;
    const Square neighbour = step(from, ahead);
    if (!is_occupied(geometry, state, neighbour)) {
      moves.set(neighbour);
      continue;
    }
    bool diagonals = true;
    if (is_open(geometry, state, neighbour, ahead)) {
      const Square behind = step(neighbour, ahead);
      if (!is_occupied(geometry, state, behind)) {
        moves.set(behind);
        continue;
      }
      diagonals = rules.third_pawn_diagonal;
    }
    if (!diagonals) continue;
    for (const int turn : {1, 3}) {
      const Direction aside = static_cast<Direction>((static_cast<int>(ahead) + turn) % 4);
      if (!is_open(geometry, state, neighbour, aside)) continue;
      const Square diagonal = step(neighbour, aside);
      if (!is_occupied(geometry, state, diagonal)) moves.set(diagonal);
    }
  }
  return moves;
}

}  // namespace koridor::wall
