// What a person's text names in a wall game, and what else may have been meant.
#include "core/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/wall/game.h"
#include "core/wall/notation.h"

namespace koridor::wall {
namespace {

using Kind = Objection::Kind;

// A square or an anchor as text names it, which need not be on the board.
struct Spot {
  int row = 0;
  int column = 0;
};

bool is_column(const TextPart& part) {
  return part.word.size() == 1;
}
bool is_number(const TextPart& part) {
  return part.word.empty();
}
// The kind of wall that a word names; `pass` where it names none.
ActionKind wall_kind(const TextPart& part) {
  if (part.word == "h" || part.word == "horizontal") return ActionKind::horizontal;
  if (part.word == "v" || part.word == "vertical") return ActionKind::vertical;
  return ActionKind::pass;
}
ActionKind turned(ActionKind kind) {
  return kind == ActionKind::horizontal ? ActionKind::vertical : ActionKind::horizontal;
}

// Reads texts in one position.
class Reader {
 public:
  Reader(const WallGame& game, const State& state, Notation notation)
      : geometry_(game.geometry()), rules_(game.rules()), state_(state), notation_(notation) {}

  Interpretation read(std::string_view text) const {
    const auto parts = parts_of(text);
    if (!parts) return {};
    const std::size_t size = parts->size();
    const bool hyphens = size == 0 && text.find('-') != std::string_view::npos;
    if (hyphens || (size == 1 && parts->front().word == "pass")) return {.action = geometry_.pass()};
    const auto shaped = [&](auto... tests) {
      std::size_t i = 0;
      return size == sizeof...(tests) && (tests((*parts)[i++]) && ...);
    };
    const auto is_kind = [](const TextPart& part) { return wall_kind(part) != ActionKind::pass; };
    if (shaped(is_column, is_number)) return move_to((*parts)[0], (*parts)[1]);
    if (shaped(is_column, is_number, is_kind)) return wall((*parts)[0], (*parts)[1], wall_kind((*parts)[2]));
    if (shaped(is_column, is_number, is_column, is_number)) return move(*parts);
    return size == 0 ? Interpretation{} : guess(*parts);
  }

 private:
  Spot square(const TextPart& column, const TextPart& number) const {
    return {pawn_row(geometry_, number.number, notation_), column.word[0] - 'a'};
  }
  bool is_square(Spot spot) const {
    return spot.row >= 0 && spot.row < geometry_.rows && spot.column >= 0 && spot.column < geometry_.columns;
  }
  bool is_anchor(Spot spot) const {
    return spot.row >= 0 && spot.row < geometry_.rows - 1 && spot.column >= 0 && spot.column < geometry_.columns - 1;
  }
  static Square at(Spot spot) { return make_square(spot.row, spot.column); }

  std::string name(Spot spot) const {
    return fmt::format("{}{}", column_letter(spot.column), pawn_row_number(geometry_, spot.row, notation_));
  }

  Objection off_board(Spot spot) const {
    return {.kind = Kind::off_board,
            .message = fmt::format("{} is off the board, which has the columns a to {} and the rows 1 to {}",
                                   name(spot), column_letter(geometry_.columns - 1), geometry_.rows)};
  }

  void add_pawn(std::vector<Action>& actions, int pawn, Spot to) const {
    if (is_square(to)) actions.push_back(geometry_.action(ActionKind::pawn, at(to), pawn));
  }
  void add_wall(std::vector<Action>& actions, ActionKind kind, Spot anchor) const {
    if (is_anchor(anchor)) actions.push_back(geometry_.action(kind, at(anchor)));
  }

  // The row that the same number has in the other notation.
  Spot in_other_notation(Spot spot) const { return {geometry_.rows - 1 - spot.row, spot.column}; }

  // The square in the other notation, the squares around it, and walls of its name where the letter was forgotten.
  std::vector<Action> near_moves(int pawn, Spot to) const {
    std::vector<Action> others;
    add_pawn(others, pawn, in_other_notation(to));
    const auto add_ring = [&](int distance) {
      for (int down = -distance; down <= distance; ++down) {
        for (int right = -distance; right <= distance; ++right) {
          if (std::abs(down) + std::abs(right) != distance) continue;
          add_pawn(others, pawn, {to.row + down, to.column + right});
        }
      }
    };
    add_ring(1);
    add_walls_named(others, to);
    add_ring(2);
    return others;
  }

  // The walls that have this square's name, which is another anchor in the modern notation.
  void add_walls_named(std::vector<Action>& actions, Spot square) const {
    const Spot anchor{notation_ == Notation::standard ? square.row : square.row - 1, square.column};
    for (const ActionKind kind : {ActionKind::horizontal, ActionKind::vertical}) add_wall(actions, kind, anchor);
  }

  // "c5": a destination.
  Interpretation move_to(const TextPart& column, const TextPart& number) const {
    const Spot to = square(column, number);
    if (rules_.pawns == 1) return pawn_to(0, to);
    Interpretation said;
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) add_pawn(said.others, pawn, to);
    add_walls_named(said.others, to);
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      for (const Action other : near_moves(pawn, to)) said.others.push_back(other);
    }
    if (!is_square(to)) {
      said.objection = off_board(to);
    } else if (state_.phase == 1) {
      said.objection = {.kind = Kind::not_now,
                        .message = fmt::format("{} alone names no wall, and the pawn has moved already", name(to))};
    } else {
      said.objection = {
          .kind = Kind::which_pawn,
          .message = fmt::format("{} does not say which pawn moves there: name its square first", name(to))};
    }
    return said;
  }

  Interpretation pawn_to(int pawn, Spot to) const {
    Interpretation said{.others = near_moves(pawn, to)};
    if (is_square(to)) {
      said.action = geometry_.action(ActionKind::pawn, at(to), pawn);
    } else {
      said.objection = off_board(to);
    }
    return said;
  }

  // "d4-c5": a pawn and its destination.
  Interpretation move(const std::vector<TextPart>& parts) const {
    const Spot from = square(parts[0], parts[1]);
    const Spot to = square(parts[2], parts[3]);
    const Square* const pawns = &state_.pawns[state_.player * kMaxPawns];
    Interpretation said;
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      if (is_square(from) && pawns[pawn] == at(from)) return pawn_to(pawn, to);
      add_pawn(said.others, pawn, to);
      if (is_square(from) && pawns[pawn] == at(in_other_notation(from))) {
        add_pawn(said.others, pawn, in_other_notation(to));
      }
    }
    for (const Spot spot : {from, to}) {
      if (is_square(spot)) continue;
      said.objection = off_board(spot);
      return said;
    }
    std::string own;
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      own += (pawn == 0 ? "" : " and ") + square_name(geometry_, pawns[pawn], notation_);
    }
    said.objection = {
        .kind = Kind::not_own_pawn,
        .message = fmt::format("player {} has no pawn on {}, but on {}", state_.player + 1, name(from), own)};
    return said;
  }

  // "e3h": beside the wall itself those next to it in its direction, the one across it, those next to it otherwise, and
  // the one of this name in the other notation.
  Interpretation wall(const TextPart& column, const TextPart& number, ActionKind kind) const {
    const Spot anchor{wall_row(geometry_, number.number, notation_), column.word[0] - 'a'};
    const Spot mirrored{geometry_.rows - 2 - anchor.row, anchor.column};
    const bool lies = kind == ActionKind::horizontal;
    Interpretation said;
    const auto add_beside = [&](int down, int right) {
      add_wall(said.others, kind, {anchor.row - down, anchor.column - right});
      add_wall(said.others, kind, {anchor.row + down, anchor.column + right});
    };
    add_beside(lies ? 0 : 1, lies ? 1 : 0);
    add_wall(said.others, turned(kind), anchor);
    add_beside(lies ? 1 : 0, lies ? 0 : 1);
    const Spot inside{std::clamp(anchor.row, 0, geometry_.rows - 2),
                      std::clamp(anchor.column, 0, geometry_.columns - 2)};
    if (std::abs(inside.row - anchor.row) <= 1 && std::abs(inside.column - anchor.column) <= 1) {
      add_wall(said.others, kind, inside);
    }
    add_wall(said.others, kind, mirrored);
    if (is_anchor(anchor)) {
      said.action = geometry_.action(kind, at(anchor));
    } else {
      said.objection = off_walls(geometry_, fmt::format("{}{}{}", column.word, number.number, lies ? 'h' : 'v'));
    }
    return said;
  }

  // Names whose parts are in another order: "5c", "he3", "h e3".
  Interpretation guess(std::vector<TextPart> parts) const {
    if (parts.front().word.size() == 2 && (parts.front().word[0] == 'h' || parts.front().word[0] == 'v')) {
      TextPart column{.word = parts.front().word.substr(1)};
      parts.front().word.resize(1);
      parts.insert(parts.begin() + 1, column);
    }
    const auto meant = [](Interpretation said) {
      if (said.action != kNoAction) said.others.insert(said.others.begin(), said.action);
      return Interpretation{.others = std::move(said.others)};
    };
    if (parts.size() == 2 && is_number(parts[0]) && is_column(parts[1])) return meant(move_to(parts[1], parts[0]));
    if (parts.size() == 3 && wall_kind(parts[0]) != ActionKind::pass && is_column(parts[1]) && is_number(parts[2])) {
      return meant(wall(parts[1], parts[2], wall_kind(parts[0])));
    }
    return {};
  }

  const Geometry& geometry_;
  const Rules& rules_;
  const State& state_;
  Notation notation_;
};

}  // namespace

Interpretation WallGame::interpret(const State& state, std::string_view text, Notation notation) const {
  return Reader(*this, state, notation).read(text);
}

std::optional<Action> WallGame::parse_action(const State& state, const History& history, std::string_view text,
                                             Notation notation) const {
  return legal_action_named(*this, state, history, text, notation);
}

}  // namespace koridor::wall
