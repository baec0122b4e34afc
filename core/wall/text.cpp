// Actions and boards as text, which reading.cpp reads: both notations, and a board for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "core/paint.h"
#include "core/wall/game.h"
#include "core/wall/notation.h"

namespace koridor::wall {
namespace {

constexpr std::string_view kPass = "--";

// Terminal colours of the players: blue, orange, green, magenta, as background under the pawn and as text.
constexpr std::array<std::string_view, kMaxPlayers> kPawnColour = {"\033[1;97;44m", "\033[1;30;48;5;214m",
                                                                   "\033[1;97;42m", "\033[1;97;45m"};
constexpr std::array<std::string_view, kMaxPlayers> kTextColour = {"\033[1;94m", "\033[1;38;5;214m", "\033[1;92m",
                                                                   "\033[1;95m"};
constexpr std::string_view kWallColour = "\033[1;33m";
constexpr std::string_view kMarkColour = "\033[1;97m";

constexpr std::array<std::string_view, 4> kSeats = {"south", "west", "north", "east"};

// A board as the screen shows it: turned, with what was just played marked.
class Drawing {
 public:
  Drawing(const Geometry& geometry, const State& state, const BoardView& view)
      : geometry_(geometry), state_(state), view_(view) {
    for (const Action action : view.marked) {
      if (action != geometry.pass()) marked_.push_back(geometry.meaning.at(static_cast<std::size_t>(index(action))));
    }
  }

  bool on_its_side() const { return view_.turns % 2 != 0; }
  int rows() const { return on_its_side() ? geometry_.columns : geometry_.rows; }
  int columns() const { return on_its_side() ? geometry_.rows : geometry_.columns; }

  std::string row_label(int row) const { return on_its_side() ? letter(at(row, 0)) : number(at(row, 0)); }
  std::string column_label(int column) const { return on_its_side() ? number(at(0, column)) : letter(at(0, column)); }

  std::string square(int row, int column) const {
    const Square here = at(row, column);
    int pawn_of = -1;
    for (int player = 0; player < geometry_.players; ++player) {
      const auto* const pawns = &state_.pawns[static_cast<std::size_t>(player * kMaxPawns)];
      // Of two pawns on one square the winner's is shown, which has just arrived.
      if (std::count(pawns, pawns + geometry_.pawns, here) > 0 && (pawn_of < 0 || pawn_of != state_.winner)) {
        pawn_of = player;
      }
    }
    if (pawn_of < 0) return paint(view_.colour, kFaint, " · ");
    const bool marked = std::ranges::any_of(
        marked_, [&](const ActionMeaning& mark) { return mark.kind == ActionKind::pawn && mark.square == here; });
    return paint(view_.colour, kPawnColour[static_cast<std::size_t>(pawn_of)],
                 fmt::format("{}{}{}", marked ? '(' : ' ', pawn_of + 1, marked ? ')' : ' '));
  }

  // What stands between a square and the one right of it or below it.
  std::string beside(int row, int column) const {
    return groove(between(at(row, column), at(row, column + 1)), " ", {"┃", "║"});
  }
  std::string below(int row, int column) const {
    return groove(between(at(row, column), at(row + 1, column)), "   ", {"━━━", "═══"});
  }
  // What stands on the corner of a square, the ones right of it and below it, and the one across.
  std::string corner(int row, int column) const {
    const Square a = at(row, column);
    const Square b = at(row + 1, column + 1);
    const Square anchor = make_square(std::min(row_of(a), row_of(b)), std::min(column_of(a), column_of(b)));
    const bool lies = state_.horizontal.test(anchor);
    if (!lies && !state_.vertical.test(anchor)) return " ";
    const Wall wall{lies ? ActionKind::horizontal : ActionKind::vertical, anchor};
    return groove(wall, " ", lies != on_its_side() ? Glyphs{"━", "═"} : Glyphs{"┃", "║"});
  }

 private:
  struct Wall {
    ActionKind kind = ActionKind::pass;  // pass: none
    Square anchor = 0;
  };
  struct Glyphs {
    std::string_view plain;
    std::string_view marked;
  };

  // The square that is shown in this place.
  Square at(int row, int column) const {
    switch (view_.turns % 4) {
      case 1:
        return make_square(column, geometry_.columns - 1 - row);
      case 2:
        return make_square(geometry_.rows - 1 - row, geometry_.columns - 1 - column);
      case 3:
        return make_square(geometry_.rows - 1 - column, row);
      default:
        return make_square(row, column);
    }
  }
  static std::string letter(Square square) { return std::string(1, column_letter(column_of(square))); }
  std::string number(Square square) const {
    return fmt::to_string(pawn_row_number(geometry_, row_of(square), view_.notation));
  }

  // The wall between two neighbours.
  Wall between(Square a, Square b) const {
    const Square first = std::min(a, b);
    const bool lies = column_of(a) == column_of(b);
    const Bitboard& walls = lies ? state_.horizontal : state_.vertical;
    const auto before = static_cast<Square>(first - (lies ? 1 : 16));
    const ActionKind kind = lies ? ActionKind::horizontal : ActionKind::vertical;
    if (walls.test(first)) return {kind, first};
    if (walls.test(before)) return {kind, before};
    return {};
  }

  std::string groove(const Wall& wall, std::string_view empty, const Glyphs& glyphs) const {
    if (wall.kind == ActionKind::pass) return std::string(empty);
    const bool marked = std::ranges::any_of(
        marked_, [&](const ActionMeaning& mark) { return mark.kind == wall.kind && mark.square == wall.anchor; });
    return paint(view_.colour, marked ? kMarkColour : kWallColour, marked ? glyphs.marked : glyphs.plain);
  }

  const Geometry& geometry_;
  const State& state_;
  const BoardView& view_;
  std::vector<ActionMeaning> marked_;
};

}  // namespace

std::string WallGame::action_order() const {
  const int area = rules_.rows * rules_.columns;
  if (rules_.pawns == 2) {
    return fmt::format(
        "plane * {} + row * {} + column; row 0 is player one's goal side, column 0 the left as player one sees it; "
        "planes 0 and 1: the destination of the mover's pawn on the lower and on the higher square, plane 2: a "
        "horizontal wall, plane 3: a vertical wall, both named by the square north-west of the wall's middle; {}: pass",
        area, rules_.columns, 4 * area);
  }
  return fmt::format(
      "plane * {} + row * {} + column; row 0 is player one's goal side, column 0 the left as player one sees it; plane "
      "0: a pawn's destination, plane 1: a horizontal wall, plane 2: a vertical wall, both named by the square "
      "north-west of the wall's middle; {}: pass",
      area, rules_.columns, 3 * area);
}

std::string WallGame::print_action(const State& state, Action action, Notation notation) const {
  const auto [kind, square, pawn] = geometry_->meaning.at(index(action));
  const char column = column_letter(column_of(square));
  switch (kind) {
    case ActionKind::pawn: {
      const std::string to = square_name(*geometry_, square, notation);
      if (rules_.pawns == 1) return to;
      return square_name(*geometry_, state.pawns[state.player * kMaxPawns + pawn], notation) + "-" + to;
    }
    case ActionKind::horizontal:
      return fmt::format("{}{}h", column, wall_row_number(*geometry_, row_of(square), notation));
    case ActionKind::vertical:
      return fmt::format("{}{}v", column, wall_row_number(*geometry_, row_of(square), notation));
    case ActionKind::pass:
      break;
  }
  return std::string(kPass);
}

// Players and stocks, one player a line; beside a wide board two lines, so that a terminal of 80 columns holds both.
std::vector<std::string> WallGame::lines_beside_board(const State& state, const BoardView& view) const {
  const bool colour = view.colour;
  constexpr int kNarrow = 8;  // columns of the widest board with one line a player
  const auto walls_text = [&](int player) {
    const int left = state.walls_left[player * 2];
    if (rules_.walls_by_kind) return fmt::format("{}h {}v walls", left, state.walls_left[player * 2 + 1]);
    return fmt::format("{:>2} {:<5}", left, left == 1 ? "wall" : "walls");
  };
  std::vector<std::string> about;
  for (int player = 0; player < rules_.players; ++player) {
    std::string line =
        paint(colour, kPawnColour[player], colour ? fmt::format(" {} ", player + 1) : fmt::to_string(player + 1));
    line += fmt::format(" {:<5}", kSeats[geometry_->turns[player]]);
    const std::string stock = fmt::format("  {}  {:>2} to go", walls_text(player), distance(state, player));
    const bool wide = rules_.columns > kNarrow;
    if (!wide) line += stock;
    if (state.winner == player) line += paint(colour, kTextColour[player], "  has won");
    const bool ended = view.over || state.winner >= 0 || state.ply >= max_plies_ || state.passes >= rules_.players;
    if (!ended && state.player == player) {
      line += paint(colour, kTextColour[player], state.phase == 0 ? "  to move" : "  to place a wall");
    }
    about.push_back(line);
    if (wide) about.push_back(stock);
  }
  about.push_back(fmt::format("ply {} of {}", state.ply, max_plies_));
  return about;
}

// Squares are three characters wide with one between them for vertical walls; between two rows of squares is a line for
// horizontal walls. The pawn or wall that was just played stands out by other signs:
//
//        a   b   c   d   e
//      ╭───────────────────╮
//    1 │ ·   ·  (2)  ·   · │
//      │                   │
//    2 │ · ┃ ·   ·   ·   · │
//      │   ┃ ═══════       │
//    3 │ · ┃ ·   ·   ·   · │
std::string WallGame::draw_board(const State& state, const BoardView& view) const {
  const Drawing drawing(*geometry_, state, view);
  const bool colour = view.colour;
  const int columns = drawing.columns();
  const std::vector<std::string> about = lines_beside_board(state, view);
  auto next_about = [&, next = std::size_t{0}]() mutable { return next < about.size() ? "   " + about[next++] : ""; };

  std::string labels = "     ";
  for (int column = 0; column < columns; ++column) labels += fmt::format(" {:<3}", drawing.column_label(column));
  labels.erase(labels.find_last_not_of(' ') + 1);
  std::string rule;
  for (int i = 0; i < 4 * columns - 1; ++i) rule += "─";

  std::string board = paint(colour, kFaint, labels) + "\n";
  board += "    " + paint(colour, kFaint, "╭" + rule + "╮") + "\n";
  for (int row = 0; row < drawing.rows(); ++row) {
    std::string line = paint(colour, kFaint, fmt::format("{:>3} │", drawing.row_label(row)));
    std::string below = "    " + paint(colour, kFaint, "│");
    const bool last_row = row == drawing.rows() - 1;
    for (int column = 0; column < columns; ++column) {
      line += drawing.square(row, column);
      if (!last_row) below += drawing.below(row, column);
      if (column == columns - 1) continue;
      line += drawing.beside(row, column);
      if (!last_row) below += drawing.corner(row, column);
    }
    board += line + paint(colour, kFaint, "│") + next_about() + "\n";
    if (!last_row) board += below + paint(colour, kFaint, "│") + next_about() + "\n";
  }
  board += "    " + paint(colour, kFaint, "╰" + rule + "╯") + "\n";
  // The top of a high board may have left the screen.
  constexpr int kHigh = 10;
  if (drawing.rows() > kHigh) board += paint(colour, kFaint, labels) + "\n";
  return board;
}

}  // namespace koridor::wall
