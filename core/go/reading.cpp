// What a person's text names in Go, and what else may have been meant.
#include "core/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/go/board.h"
#include "core/go/game.h"

namespace koridor::go {
namespace {

constexpr int kColumnI = 'i' - 'a';  // a letter that names no column

// Reads texts on boards of one size.
class Reader {
 public:
  explicit Reader(const Geometry& geometry) : geometry_(geometry) {}

  Interpretation read(std::string_view text) const {
    const auto parts = parts_of(text);
    if (!parts) return {};
    if (parts->size() == 1 && parts->front().word == "pass") return {.action = geometry_.pass()};
    if (parts->size() != 2) return {};
    const auto& [first, second] = std::tie(parts->front(), parts->back());
    if (first.word.size() == 1 && second.word.empty()) return point(first.word[0] - 'a', second.number);
    if (second.word.size() != 1 || !first.word.empty()) return {};
    Interpretation turned = point(second.word[0] - 'a', first.number);  // "4d"
    if (turned.action != kNoAction) turned.others.insert(turned.others.begin(), turned.action);
    return {.others = std::move(turned.others)};
  }

 private:
  void add(std::vector<Action>& actions, int row, int column) const {
    if (row < 0 || row >= geometry_.rows || column < 0 || column >= geometry_.columns) return;
    actions.push_back(Action{static_cast<std::uint16_t>(row * geometry_.columns + column)});
  }

  Interpretation point(int letter, int number) const {
    const int row = geometry_.rows - number;
    const int column = letter > kColumnI ? letter - 1 : letter;
    const bool on_board = letter != kColumnI && row >= 0 && row < geometry_.rows && column < geometry_.columns;
    Interpretation said;
    if (on_board) {
      said.action = Action{static_cast<std::uint16_t>(row * geometry_.columns + column)};
    } else {
      said.objection = off_board(letter, number);
      const int near_row = std::clamp(row, 0, geometry_.rows - 1);
      const int near_column = std::clamp(column, 0, geometry_.columns - 1);
      if (std::abs(near_row - row) <= 1 && std::abs(near_column - column) <= 1) add(said.others, near_row, near_column);
    }
    add(said.others, geometry_.rows - 1 - row, column);  // rows counted from the top
    return said;
  }

  Objection off_board(int letter, int number) const {
    const std::string name = fmt::format("{}{}", static_cast<char>('A' + letter), number);
    const std::string last = point_name(geometry_, 0, geometry_.columns - 1);
    return {.kind = Objection::Kind::off_board,
            .message = letter == kColumnI ? name + " is no point: the columns' letters leave out I"
                                          : fmt::format("{} is off the board, whose points are A1 to {}", name, last)};
  }

  const Geometry& geometry_;
};

}  // namespace

Interpretation GoGame::interpret(const State& state, std::string_view text, Notation) const {
  Interpretation said = Reader(*geometry_).read(text);
  if (!rules_.must_save_atari) return said;
  // Where a chain must be saved, its last liberty may have been meant.
  with_points(*geometry_, [&]<class Points>() {
    const Side<Points> side = side_of<Points>(*geometry_, state.stones, state.player);
    const Points liberties = chains_in_atari(side.own, side.empty).neighbours() & side.empty;
    for_each_point(liberties, [&](int point) {
      said.others.push_back(Action{geometry_->action[static_cast<std::size_t>(point)]});
    });
  });
  return said;
}

std::optional<Action> GoGame::parse_action(const State& state, const History& history, std::string_view text,
                                           Notation notation) const {
  return legal_action_named(*this, state, history, text, notation);
}

}  // namespace koridor::go
