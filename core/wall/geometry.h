// Everything about a board that follows from the rules alone, worked out once per game.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.h"
#include "core/wall/bitboard.h"
#include "core/wall/rules.h"

namespace koridor::wall {

inline constexpr int kMaxPawns = 2;  // per player

// What an action does. A wall's square is its anchor: the square north-west of its middle.
enum class ActionKind : std::uint8_t { pawn = 0, horizontal = 1, vertical = 2, pass = 3 };

struct alignas(4) ActionMeaning {  // aligned so that one load reads it
  ActionKind kind = ActionKind::pass;
  Square square = 0;
  std::uint8_t pawn = 0;  // the one of the mover's pawns that goes there, in the order of the State
};

// A view is the board as one player sees it, perhaps mirrored; its number is turns * 2 + mirrored. `turns` counts
// quarter turns counter-clockwise: 0, 1, 2 and 3 turns bring the seats south, west, north and east to the bottom.
inline constexpr int kViews = 8;

struct Geometry {
  // Throws UserError where two pawns would start on one square.
  explicit Geometry(const Rules& rules);

  int columns = 0;
  int rows = 0;
  int players = 0;
  int pawns = 0;         // of each player
  bool plain = false;    // Quoridor's moves and turns, whatever the board: the code compiled for these serves the game
  bool mirrors = false;  // two players and the same goals left to right: the mirror is a symmetry

  Bitboard board;
  Bitboard inner_south;                                        // squares with a square south of them
  Bitboard inner_east;                                         // squares with a square east of them
  Bitboard anchors;                                            // where walls may have their anchor
  Bitboard first_row, last_row, first_column, last_column;     // of the anchors
  std::array<Square, kMaxPlayers * kMaxPawns> start{};         // first squares, [player * kMaxPawns + pawn], rising
  std::array<Bitboard, kMaxPlayers> goal;                      // a player's goal squares
  std::array<Bitboard, kMaxPlayers> last_goal;                 // the highest of them alone
  std::array<std::uint8_t, kMaxPlayers> turns{};               // quarter turns that bring a player to the bottom
  std::array<Bitboard, 4> goal_after_turns;                    // [turns] goal squares of the seat that many turns away
  std::array<std::array<Square, 256>, kViews> square_view{};   // square -> the same square in a view
  std::array<std::array<Square, 256>, kViews> anchor_view{};   // the same for anchors (their lattice is smaller)
  std::array<std::vector<std::uint16_t>, kViews> policy_view;  // action -> its index in the policy of a view
  std::vector<ActionMeaning> meaning;                          // action -> what it does

  // Planes of actions before the pass: one per pawn, then horizontal and vertical walls.
  int action_planes() const { return pawns + 2; }
  int action_plane(ActionKind kind, int pawn = 0) const {
    return kind == ActionKind::pawn ? pawn : pawns - 1 + static_cast<int>(kind);
  }
  // The action with this meaning (of kind pawn, horizontal or vertical).
  Action action(ActionKind kind, Square square, int pawn = 0) const {
    return Action{
        static_cast<std::uint16_t>((action_plane(kind, pawn) * rows + row_of(square)) * columns + column_of(square))};
  }
  Action pass() const { return Action{static_cast<std::uint16_t>(action_planes() * rows * columns)}; }
  int view(int player, int symmetry) const { return turns[player] * 2 + symmetry; }
};

}  // namespace koridor::wall
