// Why an action of a wall game is illegal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "core/wall/game.h"
#include "core/wall/moves.h"
#include "core/wall/notation.h"

namespace koridor::wall {

Objection off_walls(const Geometry& geometry, const std::string& name) {
  return {.kind = Objection::Kind::off_board,
          .message = fmt::format("{} is off the board, whose walls are a1h to {}{}v", name,
                                 column_letter(geometry.columns - 2), geometry.rows - 1)};
}

namespace {

using Kind = Objection::Kind;

// Says why an action is illegal that is illegal in one position.
class Objector {
 public:
  Objector(const WallGame& game, const State& state, Notation notation)
      : game_(game), geometry_(game.geometry()), rules_(game.rules()), state_(state), notation_(notation) {}

  Objection to_wall(Action action, ActionKind kind, Square anchor) const {
    const std::string name = name_of(action);
    if (!geometry_.anchors.test(anchor)) return off_walls(geometry_, name);
    if (rules_.wall_after_move && state_.phase == 0) {
      return {.kind = Kind::not_now, .message = name + " comes too early: a pawn moves first, then a wall is placed"};
    }
    const bool lies = kind == ActionKind::horizontal;
    if (state_.walls_left[state_.player * 2 + (rules_.walls_by_kind && !lies ? 1 : 0)] == 0) {
      const std::string_view which = !rules_.walls_by_kind ? "" : lies ? "horizontal " : "vertical ";
      return {.kind = Kind::no_walls_left,
              .message = fmt::format("player {} has no {}walls left", state_.player + 1, which)};
    }
    const Bitboard& along = lies ? state_.horizontal : state_.vertical;
    const int step = lies ? 1 : 16;
    for (const int other : {+anchor, anchor - step, anchor + step}) {
      if (!has(along, other)) continue;
      const Action wall = geometry_.action(kind, static_cast<Square>(other));
      return {.kind = Kind::overlaps,
              .message = other == anchor ? name + " stands there already"
                                         : fmt::format("{} overlaps the wall {}", name, name_of(wall)),
              .wall = wall};
    }
    if (has(lies ? state_.vertical : state_.horizontal, anchor)) {
      const Action wall = geometry_.action(lies ? ActionKind::vertical : ActionKind::horizontal, anchor);
      return {
          .kind = Kind::crosses, .message = fmt::format("{} crosses the wall {}", name, name_of(wall)), .wall = wall};
    }
    return cutting_off(name, lies, anchor);
  }

  Objection to_move(Square to, int pawn) const {
    if (rules_.wall_after_move && state_.phase == 1) {
      return {.kind = Kind::not_now,
              .message = fmt::format("player {} has moved already: now a wall is to be placed", state_.player + 1)};
    }
    const Square from = state_.pawns[state_.player * kMaxPawns + pawn];
    if (const auto objection = occupied(from, to)) return *objection;
    const int down = row_of(to) - row_of(from);
    const int right = column_of(to) - column_of(from);
    const int steps = std::abs(down) + std::abs(right);
    const bool straight = down == 0 || right == 0;
    if (steps == 1) return between(from, to, closing_wall(from, direction(down, right)));
    if (rules_.step == Step::twice) {
      return steps == 2 ? between(from, to, wall_on_two_steps(from, down, right)) : too_far(from, to);
    }
    if (steps != 2) return too_far(from, to);
    return straight ? no_straight_jump(from, to, direction(down / 2, right / 2)) : no_diagonal(from, to, down, right);
  }

 private:
  std::string name_of(Action action) const { return game_.print_action(state_, action, notation_); }
  std::string name_of(Square square) const { return square_name(geometry_, square, notation_); }

  static bool has(const Bitboard& walls, int anchor) { return anchor >= 0 && anchor < 256 && walls.test(anchor); }

  static Direction direction(int down, int right) {
    if (down != 0) return down < 0 ? Direction::north : Direction::south;
    return right < 0 ? Direction::west : Direction::east;
  }
  bool open(Square from, Direction ahead) const { return is_open(geometry_, state_, from, ahead); }

  // The player whose pawn stands there, or -1.
  int player_on(Square square) const {
    for (int player = 0; player < rules_.players; ++player) {
      for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
        if (state_.pawns[player * kMaxPawns + pawn] == square) return player;
      }
    }
    return -1;
  }
  std::string pawn_on(Square square) const {
    return fmt::format("player {}'s pawn on {}", player_on(square) + 1, name_of(square));
  }

  std::optional<Objection> occupied(Square from, Square to) const {
    if (from != to && AnyPawns(geometry_, rules_, state_).may_enter(to)) return std::nullopt;
    return Objection{.kind = Kind::occupied,
                     .message = fmt::format("player {}'s pawn stands on {}", player_on(to) + 1, name_of(to))};
  }

  // The wall on the border that a step crosses; kNoAction where there is none.
  Action closing_wall(Square from, Direction ahead) const {
    const bool back = ahead == Direction::north || ahead == Direction::west;
    const Square first = back ? step(from, ahead) : from;  // the north-western of the two squares
    const bool lies = ahead == Direction::north || ahead == Direction::south;
    for (const int anchor : {+first, first - (lies ? 1 : 16)}) {
      if (!has(lies ? state_.horizontal : state_.vertical, anchor)) continue;
      return geometry_.action(lies ? ActionKind::horizontal : ActionKind::vertical, static_cast<Square>(anchor));
    }
    return kNoAction;
  }

  // A wall on a way of two steps, of which a diagonal one has two.
  Action wall_on_two_steps(Square from, int down, int right) const {
    const Direction first = direction(down, down == 0 ? right : 0);
    const Direction second = down == 0 || right == 0 ? first : direction(0, right);
    for (const auto& [ahead, then] : {std::pair(first, second), std::pair(second, first)}) {
      if (const Action wall = closing_wall(from, ahead); wall != kNoAction) return wall;
      if (const Action wall = closing_wall(step(from, ahead), then); wall != kNoAction) return wall;
    }
    return kNoAction;
  }

  Objection between(Square from, Square to, Action wall) const {
    return {
        .kind = Kind::wall_between,
        .message = fmt::format("the wall {} is in the way from {} to {}", name_of(wall), name_of(from), name_of(to)),
        .wall = wall};
  }

  Objection too_far(Square from, Square to) const {
    const std::string_view reach = rules_.step == Step::twice      ? "one or two squares"
                                   : rules_.step == Step::diagonal ? "to one of the eight squares around it"
                                                                   : "to the next square";
    return {.kind = Kind::too_far,
            .message = fmt::format("{} is too far: the pawn on {} steps {}", name_of(to), name_of(from), reach)};
  }

  // Two squares straight on.
  Objection no_straight_jump(Square from, Square to, Direction ahead) const {
    const Square neighbour = step(from, ahead);
    if (player_on(neighbour) < 0) return too_far(from, to);
    if (!rules_.jumps) {
      return {.kind = Kind::no_jump,
              .message = fmt::format("{} is behind {}, and this game has no jumps", name_of(to), pawn_on(neighbour))};
    }
    const Action before = closing_wall(from, ahead);
    return between(from, to, before != kNoAction ? before : closing_wall(neighbour, ahead));
  }

  // A square at a corner.
  Objection no_diagonal(Square from, Square to, int down, int right) const {
    if (rules_.step == Step::diagonal) return between(from, to, wall_on_two_steps(from, down, right));
    // Past a pawn on either side of the corner, where the rules open the corner but a wall closes it; else what the
    // rules say.
    const std::array<Direction, 2> ways = {direction(down, 0), direction(0, right)};
    std::optional<Objection> by_rule;
    for (const Direction ahead : ways) {
      const Square neighbour = step(from, ahead);
      if (!rules_.jumps || player_on(neighbour) < 0) continue;
      if (!open(from, ahead)) return between(from, neighbour, closing_wall(from, ahead));
      const bool runs_on = open(neighbour, ahead);
      const bool free = runs_on && AnyPawns(geometry_, rules_, state_).may_enter(step(neighbour, ahead));
      if (free) {
        by_rule = {.kind = Kind::diagonal,
                   .message = fmt::format("the straight jump over {} is open, so there is none to its side",
                                          pawn_on(neighbour))};
      } else if (runs_on && !rules_.third_pawn_diagonal) {
        by_rule = {.kind = Kind::diagonal,
                   .message = fmt::format("a third pawn stands behind {}, so there is no jump", pawn_on(neighbour))};
      } else {
        return between(neighbour, to, closing_wall(neighbour, ahead == ways[0] ? ways[1] : ways[0]));
      }
    }
    if (by_rule) return *by_rule;
    return {.kind = Kind::diagonal,
            .message = fmt::format("{} is diagonal to {}: {}", name_of(to), name_of(from),
                                   rules_.jumps ? "a pawn goes there only beside a pawn that it cannot jump over"
                                                : "a pawn does not step so")};
  }

  // A free wall that is illegal closes the way of somebody.
  Objection cutting_off(const std::string& name, bool lies, Square anchor) const {
    const Board wall = Board::of(anchor);
    const Board horizontal(state_.horizontal);
    const Board vertical(state_.vertical);
    const OpenSteps<Board> steps(geometry_, lies ? horizontal | wall : horizontal, lies ? vertical : vertical | wall);
    const auto reaches = [&](Square from, const Board& goal) { return distance_to(steps, from, goal) < kUnreachable; };
    Objection objection{.kind = Kind::cuts_off};
    std::vector<std::string> names;
    for (int player = 0; player < rules_.players; ++player) {
      bool free = true;
      for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
        const Square from = state_.pawns[player * kMaxPawns + pawn];
        if (rules_.goal == Goal::line) {
          free = free && reaches(from, Board(geometry_.goal[player]));
        } else {
          geometry_.goal[player].for_each([&](Square goal) { free = free && reaches(from, Board::of(goal)); });
        }
      }
      if (free) continue;
      objection.players.push_back(player);
      names.push_back(fmt::format("player {}", player + 1));
    }
    objection.message = fmt::format("{} cuts off the last way of {}", name, fmt::join(names, " and "));
    return objection;
  }

  const WallGame& game_;
  const Geometry& geometry_;
  const Rules& rules_;
  const State& state_;
  Notation notation_;
};

}  // namespace

Objection WallGame::objection(const State& state, const History&, Action action, Notation notation) const {
  const auto [kind, square, pawn] = geometry_->meaning.at(index(action));
  const Objector objector(*this, state, notation);
  switch (kind) {
    case ActionKind::pawn:
      return objector.to_move(square, pawn);
    case ActionKind::horizontal:
    case ActionKind::vertical:
      return objector.to_wall(action, kind, square);
    case ActionKind::pass:
      break;
  }
  return {.kind = Kind::must_act, .message = "a player who can move or place a wall does not pass"};
}

}  // namespace koridor::wall
