// Actions and boards as text.
#include <fmt/format.h>

#include <algorithm>

#include "core/go/game.h"

namespace koridor::go {
namespace {

constexpr std::string_view kPass = "pass";

char column_letter(int column) {
  return static_cast<char>(column < 8 ? 'A' + column : 'B' + column);  // no I
}

constexpr std::string_view kFaint = "\033[2m";
constexpr std::string_view kReset = "\033[0m";
constexpr std::array<std::string_view, 2> kStoneColour = {"\033[1;30;48;5;179m", "\033[1;97;48;5;179m"};
constexpr std::string_view kPointColour = "\033[38;5;94;48;5;179m";
constexpr std::array<std::string_view, 2> kNames = {"black", "white"};
constexpr std::array<std::string_view, 2> kPlainStones = {"X", "O"};

std::string paint(bool colour, std::string_view code, std::string_view text) {
  return colour ? fmt::format("{}{}{}", code, text, kReset) : std::string(text);
}

// Whether a board marks this point: those of its largest handicap.
bool is_star(const Geometry& geometry, int row, int column) {
  Rules rules;
  rules.columns = geometry.columns;
  rules.rows = geometry.rows;
  rules.handicap = most_handicap(geometry.columns, geometry.rows);
  return std::ranges::count(handicap_points(rules), std::pair(row, column)) > 0;
}

}  // namespace

std::string point_name(const Geometry& geometry, int row, int column) {
  return fmt::format("{}{}", column_letter(column), geometry.rows - row);
}

std::string GoGame::action_order() const {
  return fmt::format("row * {} + column; row 0 is the top, column 0 the left; {}: pass", rules_.columns,
                     num_actions() - 1);
}

std::string GoGame::print_action(const State&, Action action, Notation) const {
  if (action == pass()) return std::string(kPass);
  return point_name(*geometry_, index(action) / rules_.columns, index(action) % rules_.columns);
}

//      A B C D E
//    5 · · · · ·   X black  0 prisoners  to move
//    4 · · O · ·   O white  0 prisoners
//    3 · · X · ·   komi 7.5, ply 2 of 100
std::string GoGame::print_board(const State& state, Notation, bool colour) const {
  std::vector<std::string> about;
  for (std::size_t player = 0; player < 2; ++player) {
    const int prisoners = state.prisoners[player];
    std::string line = colour ? paint(true, kStoneColour[player], " ● ") : std::string(kPlainStones[player]);
    line += fmt::format(" {}  {} {}", kNames[player], prisoners, prisoners == 1 ? "prisoner" : "prisoners");
    if (rules_.limited_supply)
      line += fmt::format("  {} stones left", std::max(0, supply_[player] - state.placed[player]));
    if (state.player == player) line += "  to move";
    about.push_back(line);
  }
  about.push_back(fmt::format("komi {}, ply {} of {}{}{}", komi_text(rules_.half_points_of_komi), state.ply, max_plies_,
                              state.phase == Phase::cleanup ? ", cleanup" : "",
                              state.passes == 0 ? "" : fmt::format(", {} passed", state.passes)));

  std::string letters = "    ";
  for (int column = 0; column < rules_.columns; ++column) letters += fmt::format("{} ", column_letter(column));
  letters.pop_back();
  std::string board = paint(colour, kFaint, letters) + "\n";
  for (int row = 0; row < rules_.rows; ++row) {
    const std::string number = fmt::format("{:>2}", rules_.rows - row);
    board += paint(colour, kFaint, number) + " ";
    for (int column = 0; column < rules_.columns; ++column) {
      const int point = geometry_->point_at(row, column);
      const int stone = state.has_stone(0, point) ? 0 : state.has_stone(1, point) ? 1 : -1;
      if (stone < 0) {
        const std::string_view mark = state.ko == point ? "□" : is_star(*geometry_, row, column) ? "+" : "·";
        board += colour ? fmt::format("{} {}{}", kPointColour, mark, kReset) : fmt::format(" {}", mark);
      } else {
        const auto of = static_cast<std::size_t>(stone);
        board += colour ? fmt::format("{} ●{}", kStoneColour[of], kReset) : fmt::format(" {}", kPlainStones[of]);
      }
    }
    if (colour) board += fmt::format("{} {}", kPointColour, kReset);
    if (static_cast<std::size_t>(row) < about.size()) board += "   " + about[static_cast<std::size_t>(row)];
    board += "\n";
  }
  for (auto line = static_cast<std::size_t>(rules_.rows); line < about.size(); ++line) {
    board += std::string(static_cast<std::size_t>(2 * rules_.columns) + 6, ' ') + about[line] + "\n";
  }
  return board;
}

}  // namespace koridor::go
