// The parameters that make one wall game another. One engine plays them all.
#pragma once

#include <string>

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

}  // namespace koridor::wall
