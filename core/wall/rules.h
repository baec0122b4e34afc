// The parameters that make one wall game another. One engine plays them all.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koridor::wall {

struct Rules {
  std::string id = "quoridor";      // the registered game these parameters started from
  int columns = 9;                  // 3..11
  int rows = 9;                     // 3..11
  int players = 2;                  // 2, 3 or 4: seats south, west, north, east as far as they go (two: south, north)
  int walls = 10;                   // each player's stock, 0..31
  int max_plies = 0;                // a draw after so many plies without a winner; 0: 4 * columns * rows
  int repetition = 0;               // a draw at this occurrence of a position with the same player to move; 0: off
  bool third_pawn_diagonal = true;  // a pawn behind the neighbour opens the diagonals as a wall does

  friend bool operator==(const Rules&, const Rules&) = default;
};

// Throws UserError, naming the rule and its range, where a parameter is out of range or two do not go together.
void check(const Rules& rules);

// Plies after which a game is drawn: max_plies or its default.
int effective_max_plies(const Rules& rules);

// A registered wall game.
struct Preset {
  std::string title;
  Rules rules;
};
const std::vector<Preset>& presets();

// Sets the rule of this name from text ("true" and "false", or a whole number). Throws UserError for an unknown rule
// (with the nearest that exists), a malformed value or one out of range.
void set_rule(Rules& rules, std::string_view name, std::string_view value);

// All rules as name and value in a fixed order, max_plies as it takes effect.
std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules);

// The canonical variant string: the preset's id, then what differs from it ("quoridor:5x5,walls=3").
std::string variant_name(const Rules& rules);

}  // namespace koridor::wall
