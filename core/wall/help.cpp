// Help with a wall game's actions, with examples that are legal in the position.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/wall/game.h"
#include "core/wall/notation.h"

namespace koridor::wall {
namespace {

// The kinds of actions of which one example each is shown, in this order.
namespace shown {
enum Kind { step, long_step, jump, horizontal, vertical, pass, kinds };
}

shown::Kind shown_as(const Rules& rules, const State& state, const ActionMeaning& meaning) {
  if (meaning.kind == ActionKind::horizontal) return shown::horizontal;
  if (meaning.kind == ActionKind::vertical) return shown::vertical;
  if (meaning.kind == ActionKind::pass) return shown::pass;
  const Square from = state.pawns[state.player * kMaxPawns + meaning.pawn];
  const int down = std::abs(row_of(meaning.square) - row_of(from));
  const int right = std::abs(column_of(meaning.square) - column_of(from));
  if (down + right == 1) return shown::step;
  if (rules.step == Step::twice) return shown::long_step;
  return rules.step == Step::diagonal && std::max(down, right) == 1 ? shown::step : shown::jump;
}

}  // namespace

ActionHelp WallGame::help(const State& state, const ActionMask& legal, Notation notation) const {
  const auto name = [&](int row, int column) { return square_name(*geometry_, make_square(row, column), notation); };
  // Of each kind the example that leads a pawn nearest to its goal, or is nearest to the middle of the board.
  const auto cost = [&](Action action, const ActionMeaning& meaning) {
    if (meaning.kind != ActionKind::pawn) {
      return std::abs(2 * row_of(meaning.square) + 2 - rules_.rows) +
             std::abs(2 * column_of(meaning.square) + 2 - rules_.columns);
    }
    State next = state;
    apply(next, action);
    return distance(next, state.player);
  };
  std::array<Action, shown::kinds> best;
  std::array<int, shown::kinds> least{};
  best.fill(kNoAction);
  legal.for_each([&](Action action) {
    const ActionMeaning& meaning = geometry_->meaning[static_cast<std::size_t>(index(action))];
    const shown::Kind kind = shown_as(rules_, state, meaning);
    const int now = cost(action, meaning);
    if (best[kind] != kNoAction && least[kind] <= now) return;
    best[kind] = action;
    least[kind] = now;
  });

  ActionHelp help;
  for (int kind = 0; kind < shown::kinds; ++kind) {
    const Action action = best[static_cast<std::size_t>(kind)];
    if (action == kNoAction) continue;
    const ActionMeaning& meaning = geometry_->meaning[static_cast<std::size_t>(index(action))];
    const int row = row_of(meaning.square);
    const int column = column_of(meaning.square);
    std::string said;
    if (meaning.kind == ActionKind::pawn) {
      said = rules_.pawns == 1
                 ? "move the pawn to " + name(row, column)
                 : fmt::format("move the pawn on {} to {}",
                               square_name(*geometry_, state.pawns[state.player * kMaxPawns + meaning.pawn], notation),
                               name(row, column));
      if (kind == shown::long_step) said += ", two steps away";
      if (kind == shown::jump) said += ", a jump over a pawn";
    } else if (meaning.kind == ActionKind::horizontal) {
      said = fmt::format("place a horizontal wall between {}-{} and {}-{}", name(row, column), name(row, column + 1),
                         name(row + 1, column), name(row + 1, column + 1));
    } else if (meaning.kind == ActionKind::vertical) {
      said = fmt::format("place a vertical wall between {}-{} and {}-{}", name(row, column), name(row + 1, column),
                         name(row, column + 1), name(row + 1, column + 1));
    } else {
      said = "pass, since nothing else is legal";
    }
    help.examples.push_back({action, print_action(state, action, notation), said});
  }

  help.notes.push_back(fmt::format("Rows are counted from the {}; a wall is named by the square {} of its middle.",
                                   notation == Notation::standard ? "north" : "south",
                                   notation == Notation::standard ? "north-west" : "south-west"));
  if (rules_.wall_after_move) {
    help.notes.emplace_back(state.phase == 0 ? "A turn is a move and then a wall, one after the other."
                                             : "The pawn has moved; a wall ends the turn.");
  }
  help.notes.emplace_back("Capitals, spaces and hyphens make no difference.");
  return help;
}

}  // namespace koridor::wall
