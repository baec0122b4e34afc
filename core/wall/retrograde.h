// Solves every position of the pawns over walls that stay as they are, given the best that placing a wall leads to.
//
// Pawns walk to and fro, so these positions form cycles and no search tree has an end. Backward induction needs none:
// wins in 1 ply are known, then what loses in 2 because every move leads to such a win, then wins in 3, and so on.
// What is never reached is a position in which nobody can force a win: a draw, however often positions repeat and
// however long the game may last. Two players, one pawn each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/wall/configuration.h"
#include "core/wall/game.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// A value for the player to move in one byte, the better the larger: 127 - d a win in d plies, 0 a draw, d - 127 a loss
// in d plies.
using Score = std::int8_t;
inline constexpr int kLongest = 125;       // plies a score can hold
inline constexpr Score kNoPosition = 127;  // no such position: a pawn has no way, or both stand on one square
inline constexpr Score kNoWall = -126;     // worse than any loss: there is no wall to place
constexpr Score win_in(int plies) {
  return static_cast<Score>(127 - plies);
}
constexpr Score loss_in(int plies) {
  return static_cast<Score>(plies - 127);
}
static_assert(win_in(kLongest) > 0 && loss_in(kLongest + 1) < 0);
constexpr int plies_of(Score score) {
  return score == 0 ? 0 : 127 - (score > 0 ? score : -score);
}
// What an action is worth that leads to a position of this score for the other player (kNoWall for kNoPosition).
constexpr Score score_before(Score score) {
  return static_cast<Score>((score > 0) - (score < 0) - score);
}
static_assert(score_before(loss_in(4)) == win_in(5) && score_before(win_in(5)) == loss_in(6));
static_assert(score_before(kNoPosition) == kNoWall);

// Where pawns can stand. A slot is a square as its owner sees it, goal line excluded: 0 at the left of the row before
// the goal. So the half turn that swaps the players leaves slots as they are.
struct PawnPlaces {
  explicit PawnPlaces(const Geometry& geometry);

  int cells = 0;                                        // squares of the board
  int slots = 0;                                        // without a goal line
  std::array<std::uint8_t, 256> cell{};                 // square -> row * columns + column
  std::array<std::array<std::uint8_t, 256>, 2> slot{};  // player, square -> slot; meaningless on the goal line
  std::vector<std::uint8_t> mirrored;                   // slot -> slot

  int pairs() const { return slots * slots; }
  // Place of a position among the pairs: player one's slot, then player two's.
  int pair(Square south, Square north) const { return slot[0][south] * slots + slot[1][north]; }
};

struct PawnPosition {
  int player = 0;  // to move
  Square own = 0;
  Square other = 0;
};

class Retrograde {
 public:
  // The game must outlive it.
  explicit Retrograde(const WallGame& game);

  const PawnPlaces& places() const { return places_; }

  // The number of positions possible with these walls, of either player to move.
  int count_positions(const Configuration& walls);

  // Takes other walls, with which some position is possible.
  void set_walls(const Configuration& walls);

  // Marks what is no position and gives all others `start`.
  void clear(std::span<Score> scores, Score start) const;

  // `scores[player to move]`, a score for each pair of pawns: on entry the best of the walls (kNoWall without one), or
  // kNoPosition; on exit the value. At the positions `drawn` the game ends as a draw. Throws UserError for a forced win
  // longer than kLongest.
  void solve(const std::array<std::span<Score>, 2>& scores, std::span<const PawnPosition> drawn = {});

 private:
  struct Sets {
    std::array<std::array<Bitboard, 256>, 2> of;  // player to move, the own or the other's square
  };

  const Bitboard& moves(Square from, Square other) const {
    return moves_[static_cast<std::size_t>(places_.cell[from] * places_.cells + places_.cell[other])];
  }
  int pair(int player, Square own, Square other) const {
    return player == 0 ? places_.pair(own, other) : places_.pair(other, own);
  }
  // As moves(), or the own square where the player can only pass. `wall` is the best of its walls.
  Board options(Square own, Square other, Score wall) const {
    const Bitboard& to = moves(own, other);
    return may_be_stuck_ && wall == kNoWall && !to.any() ? Board::of(own) : Board(to);
  }
  bool decide_wins(int plies, const std::array<std::span<Score>, 2>& scores);
  bool decide_losses(int plies, const std::array<std::span<Score>, 2>& scores);

  const WallGame* game_;
  PawnPlaces places_;
  std::array<Bitboard, 2> reach_;  // squares with a way to the player's goal, the goal excluded
  std::vector<Bitboard> moves_;    // [from][other pawn]: where the pawn may go
  bool may_be_stuck_ = false;      // some pawn has no move somewhere
  Sets open_;                      // [mover][other's square]: own squares not decided yet
  Sets won_;                       // [mover][own square]: other's squares with which the mover wins
  Sets lost_;
};

}  // namespace koridor::wall
