// Where the pawns of the player to move may go.
#pragma once

#include "core/wall/bitboard.h"
#include "core/wall/game.h"
#include "core/wall/geometry.h"
#include "core/wall/paths.h"

namespace koridor::wall {

enum class Direction : std::uint8_t { north, east, south, west };

// The next square in the direction; meaningless where an edge is in the way.
constexpr Square step(Square square, Direction direction) {
  constexpr std::array<int, 4> kOffset = {-16, 1, 16, -1};
  return static_cast<Square>(square + kOffset[static_cast<int>(direction)]);
}

// Whether neither a wall nor an edge is in the way. A wall reaches one square further than its anchor, east or south.
// The grid's column 15 is never used, so that a look past the western edge finds no wall.
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

// The pawns on the board where every player has one pawn and no occupied square can be entered.
class OnePawnEach {
 public:
  OnePawnEach(const Geometry& geometry, const State& state) : players_(geometry.players), state_(state) {}

  bool is_occupied(Square square) const {
    for (int player = 0; player < players_; ++player) {
      if (state_.pawns[player * kMaxPawns] == square) return true;
    }
    return false;
  }
  bool may_enter(Square square) const { return !is_occupied(square); }

 private:
  int players_;
  const State& state_;
};

// The pawns on the board whatever the rules.
class AnyPawns {
 public:
  AnyPawns(const Geometry& geometry, const Rules& rules, const State& state) {
    for (int player = 0; player < geometry.players; ++player) {
      for (int pawn = 0; pawn < geometry.pawns; ++pawn) occupied_.set(state.pawns[player * kMaxPawns + pawn]);
    }
    barred_ = occupied_;
    if (!rules.enters_held_goals()) return;
    for (int i = 0; i < 4; ++i) barred_.words[i] &= ~geometry.goal[state.player].words[i];
  }

  bool is_occupied(Square square) const { return occupied_.test(square); }
  bool may_enter(Square square) const { return !barred_.test(square); }
  const Bitboard& barred() const { return barred_; }

 private:
  Bitboard occupied_;
  Bitboard barred_;  // squares that no pawn of the player to move may enter
};

// The steps north, east, south and west, and the jumps if rules.jumps allows them.
template <class Pawns>
Bitboard orthogonal_moves(const Geometry& geometry, const Rules& rules, const State& state, Square from,
                          const Pawns& pawns) {
  Bitboard moves;
  for (const Direction ahead : {Direction::north, Direction::east, Direction::south, Direction::west}) {
    if (!is_open(geometry, state, from, ahead)) continue;
    const Square neighbour = step(from, ahead);
    const bool occupied = pawns.is_occupied(neighbour);
    if (!occupied || pawns.may_enter(neighbour)) moves.set(neighbour);
    if (!occupied || !rules.jumps) continue;
    bool diagonals = true;
    if (is_open(geometry, state, neighbour, ahead)) {
      const Square behind = step(neighbour, ahead);
      if (pawns.may_enter(behind)) {
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
      if (pawns.may_enter(diagonal)) moves.set(diagonal);
    }
  }
  return moves;
}

// The squares the pawn of the player to move may go to under Quoridor's rules (Geometry::plain).
inline Bitboard plain_pawn_moves(const Geometry& geometry, const Rules& rules, const State& state) {
  return orthogonal_moves(geometry, rules, state, state.pawns[state.player * kMaxPawns], OnePawnEach(geometry, state));
}

// The squares a pawn of the player to move may go to under any rules.
inline Bitboard any_pawn_moves(const Geometry& geometry, const Rules& rules, const State& state, int pawn) {
  const Square from = state.pawns[state.player * kMaxPawns + pawn];
  const AnyPawns pawns(geometry, rules, state);
  Bitboard moves;
  if (rules.step == Step::orthogonal || rules.jumps) moves = orthogonal_moves(geometry, rules, state, from, pawns);
  if (rules.step == Step::orthogonal) return moves;
  const OpenSteps<Board> open(geometry, Board(state.horizontal), Board(state.vertical));
  const Board start = Board::of(from);
  const Board reached = rules.step == Step::diagonal ? EightSteps(open, rules.diagonal_step).spread(start)
                                                     : open.spread(open.spread(start));
  ((reached - start - Board::fresh(pawns.barred())) | Board::fresh(moves)).store(moves);
  return moves;
}

// The same, whichever rules hold.
inline Bitboard pawn_moves(const Geometry& geometry, const Rules& rules, const State& state, int pawn = 0) {
  return geometry.plain ? plain_pawn_moves(geometry, rules, state) : any_pawn_moves(geometry, rules, state, pawn);
}

}  // namespace koridor::wall
