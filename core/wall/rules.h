// The parameters of a wall game. One engine plays all wall games.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koridor::wall {

// How a pawn steps.
// orthogonal: one square.
// diagonal: one square in any of 8 directions.
// twice ("double"): one or two orthogonal steps in any combination, the first of which may pass over a pawn.
enum class Step : std::uint8_t { orthogonal, diagonal, twice };

// How many of the two orthogonal ways round the corner of a diagonal step must be free of walls.
enum class DiagonalStep : std::uint8_t { either, both };

// Where pawns go.
// line: any square of the opposite line.
// starts: the start squares of the opposite seat; no wall may cut any of them off from any pawn that goes there.
enum class Goal : std::uint8_t { line, starts };

struct Rules {
  std::string id = "quoridor";      // the registered game these parameters started from
  int columns = 9;                  // 3..11
  int rows = 9;                     // 3..14
  int players = 2;                  // 2..4: two sit south and north; more sit south, west, north, east, in this order
  int pawns = 1;                    // of each player, 1 or 2
  int walls = 10;                   // each player's stock, 0..31
  int win_pawns = 1;                // how many of the own pawns must stand on goal squares, 1..pawns
  int max_plies = 0;                // after as many plies without a winner the game is a draw; 0: 4 * columns * rows
  int repetition = 0;               // a draw at this occurrence of a position with the same player to move; 0: off
  bool third_pawn_diagonal = true;  // a pawn behind the neighbour opens the diagonals as a wall does
  bool jumps = true;                // a pawn face to face with another may jump over it
  bool walls_by_kind = false;       // `walls` of each kind, horizontal and vertical, instead of `walls` of any kind
  bool wall_after_move = false;     // a turn is a move and then a wall, which is compulsory if one can be placed
  Step step = Step::orthogonal;
  DiagonalStep diagonal_step = DiagonalStep::either;
  Goal goal = Goal::line;

  // A goal square may be entered although another player's pawn stands there: it wins at once.
  bool enters_held_goals() const { return goal == Goal::starts && win_pawns == 1; }

  friend bool operator==(const Rules&, const Rules&) = default;
};

// Throws UserError, naming the rule and its range, where a parameter is out of range or two do not go together.
void check(const Rules& rules);

// The number of plies after which a game is drawn: max_plies or its default.
int effective_max_plies(const Rules& rules);

// A registered wall game.
struct Preset {
  std::string title;
  Rules rules;
};
const std::vector<Preset>& presets();

// Sets the rule of this name from text (a whole number, "true" or "false", or one of the rule's words). Throws
// UserError for an unknown rule (with the nearest that exists), a malformed value or one out of range.
void set_rule(Rules& rules, std::string_view name, std::string_view value);

// All rules as name and value in a fixed order; max_plies has its effective value.
std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules);

// The canonical variant string: the preset's id, then what differs from it ("quoridor:5x5,walls=3").
std::string variant_name(const Rules& rules);

}  // namespace koridor::wall
