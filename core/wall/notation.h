// The names of squares and walls in both notations.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/game.h"
#include "core/wall/geometry.h"
#include "core/words.h"

namespace koridor::wall {

// A row's number for a pawn: the standard notation counts from player two's side.
inline int pawn_row_number(const Geometry& geometry, int row, Notation notation) {
  return notation == Notation::standard ? row + 1 : geometry.rows - row;
}
// The row that has this number, which need not be on the board.
inline int pawn_row(const Geometry& geometry, int number, Notation notation) {
  return notation == Notation::standard ? number - 1 : geometry.rows - number;
}

// The same for a wall, which is named by its north-west square, or in the modern notation by the square nearest a1.
inline int wall_row_number(const Geometry& geometry, int row, Notation notation) {
  return notation == Notation::standard ? row + 1 : geometry.rows - 1 - row;
}
inline int wall_row(const Geometry& geometry, int number, Notation notation) {
  return notation == Notation::standard ? number - 1 : geometry.rows - 1 - number;
}

inline char column_letter(int column) {
  return static_cast<char>('a' + column);
}

inline std::string square_name(const Geometry& geometry, Square square, Notation notation) {
  return fmt::format("{}{}", column_letter(column_of(square)), pawn_row_number(geometry, row_of(square), notation));
}

// The objection to a wall of this name, which is none of the board's.
Objection off_walls(const Geometry& geometry, const std::string& name);

}  // namespace koridor::wall
