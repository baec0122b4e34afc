// Actions and boards as text.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/go/game.h"
#include "core/paint.h"

namespace koridor::go {
namespace {

constexpr std::string_view kPass = "pass";

char column_letter(int column) {
  return static_cast<char>(column < 8 ? 'A' + column : 'B' + column);  // no I
}

constexpr std::array<std::string_view, 2> kStoneColour = {"\033[1;30;48;5;179m", "\033[1;97;48;5;179m"};
constexpr std::string_view kPointColour = "\033[38;5;94;48;5;179m";
// The signs of the two colours differ, so that they can be told apart on a screen that shows no colours.
constexpr std::array<std::string_view, 2> kStones = {"●", "○"};
constexpr std::array<std::string_view, 2> kPlainStones = {"X", "O"};

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

std::vector<std::string> GoGame::lines_beside_board(const State& state, const BoardView& view) const {
  const bool colour = view.colour;
  std::vector<std::string> about;
  for (std::size_t player = 0; player < 2; ++player) {
    const int prisoners = state.prisoners[player];
    std::string line = colour ? paint(true, kStoneColour[player], fmt::format(" {} ", kStones[player]))
                              : std::string(kPlainStones[player]);
    line += fmt::format(" {}  {} {}", seat_title(static_cast<int>(player)), prisoners,
                        prisoners == 1 ? "prisoner" : "prisoners");
    if (rules_.limited_supply)
      line += fmt::format("  {} stones left", std::max(0, supply_[player] - state.placed[player]));
    const bool ended = view.over || state.passes >= 2 || state.ply >= max_plies_ || out_of_stones(state);
    if (state.player == player && !ended) line += "  to move";
    about.push_back(line);
  }
  about.push_back(fmt::format("komi {}, ply {} of {}{}{}", komi_text(rules_.half_points_of_komi), state.ply, max_plies_,
                              state.phase == Phase::cleanup ? ", cleanup" : "",
                              state.passes == 0 ? "" : fmt::format(", {} passed", state.passes)));
  return about;
}

// The sign of a point, without colours.
std::string GoGame::draw_point(const State& state, const BoardView& view, Action action) const {
  const int point = geometry_->point[static_cast<std::size_t>(index(action))];
  const int row = index(action) / rules_.columns;
  const int column = index(action) % rules_.columns;
  if (!view.owners.empty()) {
    const float black = view.owners[static_cast<std::size_t>(index(action))];
    return std::string(black >= 0.9f ? "X" : black >= 0.65f ? "x" : black > 0.35f ? "·" : black > 0.1f ? "o" : "O");
  }
  for (std::size_t colour = 0; colour < 2; ++colour) {
    if (!state.has_stone(static_cast<int>(colour), point)) continue;
    if (std::ranges::find(view.dead, action) != view.dead.end()) return colour == 0 ? "x" : "o";
    return std::string(view.colour ? kStones[colour] : kPlainStones[colour]);
  }
  return state.ko == point ? "□" : is_star(*geometry_, row, column) ? "+" : "·";
}

//      A B C D E
//    5 · · · · ·   X black  0 prisoners  to move
//    4 · ·(O)· ·   O white  0 prisoners
//    3 · · X · ·   komi 7.5, ply 2 of 100
std::string GoGame::draw_board(const State& state, const BoardView& view) const {
  const bool colour = view.colour;
  const bool turned = view.turns % 4 >= 2;
  const std::vector<std::string> about = lines_beside_board(state, view);
  const auto turn = [&](int place, int size) { return turned ? size - 1 - place : place; };

  std::string letters = "    ";
  for (int column = 0; column < rules_.columns; ++column) {
    letters += fmt::format("{} ", column_letter(turn(column, rules_.columns)));
  }
  letters.pop_back();
  std::string board = paint(colour, kFaint, letters) + "\n";
  for (int line = 0; line < rules_.rows; ++line) {
    const int row = turn(line, rules_.rows);
    board += paint(colour, kFaint, fmt::format("{:>2}", rules_.rows - row)) + " ";
    bool marked = false;
    for (int place = 0; place < rules_.columns; ++place) {
      const Action action{static_cast<std::uint16_t>(row * rules_.columns + turn(place, rules_.columns))};
      const int point = geometry_->point[static_cast<std::size_t>(index(action))];
      const bool closes = std::exchange(marked, std::ranges::find(view.marked, action) != view.marked.end());
      const std::string sign = fmt::format("{}{}", marked ? '(' : closes ? ')' : ' ', draw_point(state, view, action));
      const bool stone = view.owners.empty() && (state.has_stone(0, point) || state.has_stone(1, point));
      const std::string_view paint_of = stone ? kStoneColour[state.has_stone(0, point) ? 0 : 1] : kPointColour;
      board += paint(colour, paint_of, sign);
    }
    const std::string end(1, marked ? ')' : ' ');
    const bool beside = static_cast<std::size_t>(line) < about.size();
    if (colour) board += paint(true, kPointColour, end);
    if (!colour && (marked || beside)) board += end;
    if (beside) board += (colour ? "   " : "  ") + about[static_cast<std::size_t>(line)];
    board += "\n";
  }
  for (auto line = static_cast<std::size_t>(rules_.rows); line < about.size(); ++line) {
    board += std::string(static_cast<std::size_t>(2 * rules_.columns) + 6, ' ') + about[line] + "\n";
  }
  return board;
}

}  // namespace koridor::go
