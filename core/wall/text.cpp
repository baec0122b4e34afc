// Actions and boards as text, which words.cpp reads: both notations, and a board for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "core/wall/game.h"
#include "core/wall/notation.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

constexpr std::string_view kPass = "--";

// Terminal colours of the players: blue, orange, green, magenta, as background under the pawn and as text.
constexpr std::array<std::string_view, kMaxPlayers> kPawnColour = {"\033[1;97;44m", "\033[1;30;48;5;214m",
                                                                   "\033[1;97;42m", "\033[1;97;45m"};
constexpr std::array<std::string_view, kMaxPlayers> kTextColour = {"\033[1;94m", "\033[1;38;5;214m", "\033[1;92m",
                                                                   "\033[1;95m"};
constexpr std::string_view kWallColour = "\033[1;33m";
constexpr std::string_view kFaint = "\033[2m";
constexpr std::string_view kReset = "\033[0m";

constexpr std::array<std::string_view, 4> kSeats = {"south", "west", "north", "east"};

// Text in a colour, or plain.
std::string paint(bool colour, std::string_view code, std::string_view text) {
  return colour ? fmt::format("{}{}{}", code, text, kReset) : std::string(text);
}

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

// Squares are three characters wide with one between them for vertical walls; between two rows of squares is a line for
// horizontal walls:
//
//        a   b   c   d   e
//      ╭───────────────────╮
//    1 │ ·   ·   2   ·   · │
//      │                   │
//    2 │ · ┃ ·   ·   ·   · │
//      │   ┃ ━━━━━━━       │
//    3 │ · ┃ ·   ·   ·   · │
std::string WallGame::print_board(const State& state, Notation notation, bool colour) const {
  const int rows = rules_.rows;
  const int columns = rules_.columns;
  const auto wall_text = [&](std::string_view text) { return paint(colour, kWallColour, text); };

  const auto walls_text = [&](int player) {
    const int left = state.walls_left[player * 2];
    if (rules_.walls_by_kind) return fmt::format("{}h {}v walls", left, state.walls_left[player * 2 + 1]);
    return fmt::format("{:>2} {:<5}", left, left == 1 ? "wall" : "walls");
  };

  // Lines beside the board.
  std::vector<std::string> about;
  for (int player = 0; player < rules_.players; ++player) {
    std::string line =
        paint(colour, kPawnColour[player], colour ? fmt::format(" {} ", player + 1) : fmt::to_string(player + 1));
    line += fmt::format(" {:<5}  {}  {:>2} to go", kSeats[geometry_->turns[player]], walls_text(player),
                        distance(state, player));
    if (state.winner == player) line += paint(colour, kTextColour[player], "  has won");
    if (state.winner < 0 && state.player == player) {
      line += paint(colour, kTextColour[player], state.phase == 0 ? "  to move" : "  to place a wall");
    }
    about.push_back(line);
  }
  about.push_back(fmt::format("ply {} of {}", state.ply, max_plies_));
  auto next_about = [&, next = std::size_t{0}]() mutable { return next < about.size() ? "   " + about[next++] : ""; };

  std::string letters = "     ";
  for (int column = 0; column < columns; ++column) letters += fmt::format(" {}  ", column_letter(column));
  letters.erase(letters.find_last_not_of(' ') + 1);
  std::string rule;
  for (int i = 0; i < 4 * columns - 1; ++i) rule += "─";

  std::string board = paint(colour, kFaint, letters) + "\n";
  board += "    " + paint(colour, kFaint, "╭" + rule + "╮") + "\n";
  for (int row = 0; row < rows; ++row) {
    const std::string number = fmt::format("{:>3} ", pawn_row_number(*geometry_, row, notation));
    std::string line = paint(colour, kFaint, number + "│");
    std::string below = "    " + paint(colour, kFaint, "│");
    for (int column = 0; column < columns; ++column) {
      const Square square = make_square(row, column);
      int pawn_of = -1;
      for (int player = 0; player < rules_.players; ++player) {
        const auto* const pawns = &state.pawns[player * kMaxPawns];
        // Of two pawns on one square the winner's is shown, which has just arrived.
        if (std::count(pawns, pawns + rules_.pawns, square) > 0 && (pawn_of < 0 || pawn_of != state.winner)) {
          pawn_of = player;
        }
      }
      line += pawn_of >= 0 ? paint(colour, kPawnColour[pawn_of], fmt::format(" {} ", pawn_of + 1))
                           : paint(colour, kFaint, " · ");
      const auto standing = [&](const Bitboard& walls, int anchor) { return walls.test(static_cast<Square>(anchor)); };
      const bool wall_below = standing(state.horizontal, square) || standing(state.horizontal, square - 1);
      below += wall_below ? wall_text("━━━") : "   ";
      if (column == columns - 1) continue;
      const bool wall_beside = standing(state.vertical, square) || standing(state.vertical, square - 16);
      line += wall_beside ? wall_text("┃") : " ";
      below += state.horizontal.test(square) ? wall_text("━") : state.vertical.test(square) ? wall_text("┃") : " ";
    }
    board += line + paint(colour, kFaint, "│") + next_about() + "\n";
    if (row < rows - 1) board += below + paint(colour, kFaint, "│") + next_about() + "\n";
  }
  board += "    " + paint(colour, kFaint, "╰" + rule + "╯") + "\n";
  return board;
}

}  // namespace koridor::wall
