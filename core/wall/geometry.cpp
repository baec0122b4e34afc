#include "core/wall/geometry.h"

namespace koridor::wall {
namespace {

struct Place {
  int row;
  int column;
};

// Where a place of a lattice comes to lie after so many quarter turns counter-clockwise.
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

}  // namespace

Geometry::Geometry(const Rules& rules) : columns(rules.columns), rows(rules.rows), players(rules.players) {
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
      if (row == 0) goal_after_turns[0].set(square);
      if (column == columns - 1) goal_after_turns[1].set(square);
      if (row == rows - 1) goal_after_turns[2].set(square);
      if (column == 0) goal_after_turns[3].set(square);
    }
  }

  // An even side starts left of the middle as its owner sees it.
  const std::array<Square, 4> start_after_turns = {make_square(rows - 1, (columns - 1) / 2),
                                                   make_square((rows - 1) / 2, 0), make_square(0, columns / 2),
                                                   make_square(rows / 2, columns - 1)};
  for (int player = 0; player < players; ++player) {
    turns[player] = static_cast<std::uint8_t>(players == 2 ? 2 * player : player);
    start[player] = start_after_turns[turns[player]];
    goal[player] = goal_after_turns[turns[player]];
  }

  for (const ActionKind kind : {ActionKind::pawn, ActionKind::horizontal, ActionKind::vertical}) {
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) meaning.push_back({kind, make_square(row, column)});
    }
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
      policy.push_back(static_cast<std::uint16_t>(index(action(kind, square))));
    }
  }
}

}  // namespace koridor::wall
