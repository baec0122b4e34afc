// Solves every position of the pawns for one arrangement of walls, given the best value that placing a wall leads to.
//
// Pawns walk to and fro, so that these positions form cycles and a search tree would have no end. Backward induction
// needs none: the wins in 1 ply are known, then the losses in 2, where every move leads to such a win, then the wins in
// 3, and so on. In a position that is never reached nobody can force a win: it is a draw, however often positions
// repeat and however long the game may last. There are two players with one pawn each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/wall/configuration.h"
#include "core/wall/game.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// A value for the player to move in one byte; larger is better. 127 - d is a win in d plies, 0 a draw, d - 127 a loss
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
// The value of an action that leads to a position with this score for the other player (kNoWall for kNoPosition).
constexpr Score score_before(Score score) {
  return static_cast<Score>((score > 0) - (score < 0) - score);
}
static_assert(score_before(loss_in(4)) == win_in(5) && score_before(win_in(5)) == loss_in(6));
static_assert(score_before(kNoPosition) == kNoWall);

// Where pawns can stand. A slot is a square as its owner sees it, without the goal line; slot 0 is at the left of the
// row before the goal. The half turn that swaps the players therefore leaves slots as they are.
struct PawnPlaces {
  explicit PawnPlaces(const Geometry& geometry);

  int cells = 0;                                        // squares of the board
  int slots = 0;                                        // squares without a goal line
  std::array<std::uint8_t, 256> cell{};                 // square -> row * columns + column
  std::array<std::array<std::uint8_t, 256>, 2> slot{};  // player, square -> slot; meaningless on the goal line
  std::vector<std::uint8_t> mirrored;                   // slot -> slot

  int pairs() const { return slots * slots; }
  // The place of a position among the pairs [player one's slot, player two's slot].
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

  // The number of positions possible with these walls, for both players to move together.
  int count_positions(const Configuration& walls);

  // Changes the walls; some position must be possible with them.
  void set_walls(const Configuration& walls);

  // Sets kNoPosition where there is no position, and `start` elsewhere.
  void clear(std::span<Score> scores, Score start) const;

  // `scores[player to move]` has one score per pair of slots: on entry the best value of placing a wall (kNoWall
  // without one), or kNoPosition; on exit the value. At the positions `drawn` the game ends as a draw. Throws UserError
  // for a forced win longer than kLongest.
  void solve(const std::array<std::span<Score>, 2>& scores, std::span<const PawnPosition> drawn = {});

 private:
  struct Sets {
    std::array<std::array<Bitboard, 256>, 2> of;  // [player to move][the own or the other's square]
  };

  const Bitboard& moves(Square from, Square other) const {
    return moves_[static_cast<std::size_t>(places_.cell[from] * places_.cells + places_.cell[other])];
  }
  int pair(int player, Square own, Square other) const {
    return player == 0 ? places_.pair(own, other) : places_.pair(other, own);
  }
  // moves(), or the own square where the player can only pass. `wall` is the best value of placing a wall.
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
