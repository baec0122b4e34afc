#include "core/wall/geometry.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace koridor::wall {
namespace {

struct Place {
  int row;
  int column;
};

// Where a place of a lattice comes to lie after `turns` quarter turns counter-clockwise.
Place turn(Place place, int rows, int columns, int turns) {
  switch (turns) {
    case 1:
      return {columns - 1 - place.column, place.row};
    case 2:
      return {rows - 1 - place.row, columns - 1 - place.column};
    case 3:
      return {place.column, rows - 1 - place.row};
    default:
      return place;
  }
}

void fill_view(std::array<Square, 256>& map, int rows, int columns, int view) {
  const int turns = view / 2;
  const int columns_seen = turns % 2 == 0 ? columns : rows;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      Place seen = turn({row, column}, rows, columns, turns);
      if (view % 2 == 1) seen.column = columns_seen - 1 - seen.column;
      map[make_square(row, column)] = make_square(seen.row, seen.column);
    }
  }
}

// The start squares of the pawns of the seat `turns` quarter turns away from south, in rising order. One pawn starts in
// the middle of its line (on an even side left of it, as its owner sees it), two start a third of the board away from
// the edges. The line is the base line; where start squares are goals, it is a quarter of the board in front of that
// (Blockade: columns d and h of 11, the fourth row of 14).
std::vector<Square> starts_after_turns(const Rules& rules, int turns) {
  const int row = rules.rows - 1 - (rules.goal == Goal::starts ? rules.rows / 4 : 0);
  const int third = (rules.columns - 1) / 3;
  const std::vector<int> columns =
      rules.pawns == 1 ? std::vector{(rules.columns - 1) / 2} : std::vector{third, rules.columns - 1 - third};
  std::vector<Square> squares;
  for (const int column : columns) {
    const Place place = turn({row, column}, rules.rows, rules.columns, (4 - turns) % 4);
    squares.push_back(make_square(place.row, place.column));
  }
  std::ranges::sort(squares);
  return squares;
}

// The goal squares of the seat `turns` quarter turns away from south.
Bitboard goal_of_turns(const Rules& rules, int turns) {
  Bitboard goal;
  if (rules.goal == Goal::starts) {
    for (const Square square : starts_after_turns(rules, (turns + 2) % 4)) goal.set(square);
    return goal;
  }
  const bool rows = turns % 2 == 0;
  for (int i = 0; i < (rows ? rules.columns : rules.rows); ++i) {
    const int line = turns == 1 ? rules.columns - 1 : turns == 2 ? rules.rows - 1 : 0;
    goal.set(rows ? make_square(line, i) : make_square(i, line));
  }
  return goal;
}

}  // namespace

Geometry::Geometry(const Rules& rules)
    : columns(rules.columns), rows(rules.rows), players(rules.players), pawns(rules.pawns) {
  plain = pawns == 1 && rules.step == Step::orthogonal && rules.jumps && rules.goal == Goal::line &&
          !rules.walls_by_kind && !rules.wall_after_move;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const Square square = make_square(row, column);
      board.set(square);
      const bool has_south = row < rows - 1;
      const bool has_east = column < columns - 1;
      if (has_south) inner_south.set(square);
      if (has_east) inner_east.set(square);
      if (has_south && has_east) {
        anchors.set(square);
        if (row == 0) first_row.set(square);
        if (row == rows - 2) last_row.set(square);
        if (column == 0) first_column.set(square);
        if (column == columns - 2) last_column.set(square);
      }
    }
  }

  for (int seat = 0; seat < 4; ++seat) {
    if (seat % 2 == 0 || rows == columns) goal_after_turns[seat] = goal_of_turns(rules, seat);
  }
  Bitboard started;
  for (int player = 0; player < players; ++player) {
    turns[player] = static_cast<std::uint8_t>(players == 2 ? 2 * player : player);
    goal[player] = goal_after_turns[turns[player]];
    Square last = 0;
    goal[player].for_each([&](Square square) { last = square; });
    last_goal[player].set(last);
    int pawn = player * kMaxPawns;
    for (const Square square : starts_after_turns(rules, turns[player])) {
      if (started.test(square)) {
        throw UserError(fmt::format("with {} players of {} pawns two pawns would start on one square of {}x{}", players,
                                    pawns, columns, rows));
      }
      started.set(square);
      start[pawn++] = square;
    }
  }
  mirrors = players == 2 && flipped(goal[0], rows, columns, false, true) == goal[0] &&
            flipped(goal[1], rows, columns, false, true) == goal[1];

  for (int pawn = 0; pawn < pawns; ++pawn) {
    board.for_each([&](Square square) {
      meaning.push_back({ActionKind::pawn, square, static_cast<std::uint8_t>(pawn)});
    });
  }
  for (const ActionKind kind : {ActionKind::horizontal, ActionKind::vertical}) {
    board.for_each([&](Square square) { meaning.push_back({kind, square}); });
  }
  meaning.push_back({ActionKind::pass, 0});

  for (int view = 0; view < kViews; ++view) {
    const bool quarter = view / 2 % 2 == 1;
    if (quarter && rows != columns) continue;  // only seats of square boards see it
    fill_view(square_view[view], rows, columns, view);
    fill_view(anchor_view[view], rows - 1, columns - 1, view);
    std::vector<std::uint16_t>& policy = policy_view[view];
    for (const ActionMeaning& action_meaning : meaning) {
      ActionKind kind = action_meaning.kind;
      Square square = action_meaning.square;
      if (kind == ActionKind::pass) {
        policy.push_back(static_cast<std::uint16_t>(index(pass())));
        continue;
      }
      if (kind == ActionKind::pawn) {
        square = square_view[view][square];
      } else {
        // Squares of the last row and column anchor no wall; they keep their place, so that the map stays one to one
        // on what is used.
        if (anchors.test(square)) square = anchor_view[view][square];
        if (quarter) kind = kind == ActionKind::horizontal ? ActionKind::vertical : ActionKind::horizontal;
      }
      policy.push_back(static_cast<std::uint16_t>(index(action(kind, square, action_meaning.pawn))));
    }
  }
}

}  // namespace koridor::wall
