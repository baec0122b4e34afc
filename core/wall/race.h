// Races of pawns: what a two-player wall game is once nobody has a wall left, or none fits. Each side's pawn goes its
// way, and only the other pawn can be in it.
//
// The walls never change any more, so that one table, of every place of the two pawns and either player to move,
// answers for the whole rest of the game. It is worked out backwards, as by Retrograde, but for all squares of one pawn
// at once: a row of a table is the set of player one's squares for one square of player two.
//
//     player one moves   shifts of a row         (its pawn moves within the row)
//     player two moves   unions of other rows    (its pawn takes the position to another row)
//
// A position's plies are written as binary digits, a row of bits for each. Jumps are put in by hand at the few pairs of
// neighbouring squares.
//
// The wins of one player depend on those of the other in nothing: all that a winner's move leads to is a loss of the
// other one, and all that the loser's moves lead to is a win of the same player. So each can be looked for alone, and
// the quickest wins are found first: who asks about one position needs neither the longer ones nor, if only one
// player's wins matter, those of the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/wall/configuration.h"

namespace koridor::wall {

class WallGame;
struct State;

// Players whose wins are looked for, one bit each.
enum class Winners : std::uint8_t { nobody = 0, one = 1, two = 2, both = 3 };

// One arrangement of walls, solved, or one before the last walls (last_walls.h). It is a view of the RaceTables that it
// comes from, until they solve another.
class Race {
 public:
  // Plies to the end of the game where `mover` is to move, with the quickest win against the longest resistance: odd
  // where the mover wins, even where the other does. 0: nobody can force a win, as far as wins were looked for; unless
  // complete(), nothing is known.
  int plies(int mover, Square south, Square north) const {
    int bit = cell(south);
    int row = cell(north);
    if (symmetry_ != 0) {
      if ((symmetry_ & kMirror) != 0) bit = mirrored(bit), row = mirrored(row);
      if ((symmetry_ & kHalfTurn) != 0) {
        mover = 1 - mover;
        std::swap(bit, row);
        bit = cells_ - 1 - bit, row = cells_ - 1 - row;
      }
    }
    row += mover * cells_;
    const std::uint64_t* digit = digits_ + row * words_ + (bit >> 6);
    int plies = 0;
    for (int i = 0; i < digits_used_; ++i, digit += plane_words()) {
      plies |= static_cast<int>(*digit >> (bit & 63) & 1) << i;
    }
    return plies;
  }
  // False where some forced win takes more than kLongest plies, which no table holds.
  bool complete() const { return complete_; }
  // Whether a pawn may have no move and its player passes.
  bool may_pass() const { return may_pass_; }

  static constexpr int kDigits = 8;
  static constexpr int kLongest = (1 << kDigits) - 2;  // even: the last one looked for is a loss

 private:
  friend class RaceTables;
  int cell(Square square) const { return row_of(square) * columns_ + column_of(square); }
  int mirrored(int cell) const { return cell + columns_ - 1 - 2 * (cell % columns_); }
  // Whether no more can be found out about a position by looking for the wins of these players.
  bool answers(Winners winners, int mover, Square south, Square north) const {
    const int asked = static_cast<int>(winners);
    return (static_cast<int>(exhausted_) & asked) == asked || plies(mover, south, north) != 0;
  }

  // Of the sets of one digit: all places of player two with either player to move.
  int plane_words() const { return 2 * cells_ * words_; }

  std::uint64_t* digits_ = nullptr;  // [digit][mover][player two's cell][word]: sets of player one's cells
  int digits_used_ = 0;              // the others are 0 everywhere and not written
  int columns_ = 0;
  int cells_ = 0;
  int words_ = 0;
  int symmetry_ = 0;                     // takes positions to those of the digits (configuration.h)
  Winners exhausted_ = Winners::nobody;  // all of their wins are in the digits, as far as these reach
  bool complete_ = false;
  bool may_pass_ = false;
};

// The races solved last. One thread at a time may use it; nothing is allocated after construction, but for the room
// that each thread has for the work on the last walls (last_walls.h), and the tables that all threads share
// (last_walls_store.h).
class RaceTables {
 public:
  explicit RaceTables(const WallGame& game);

  // Whether these rules make races that can be solved: two players with one pawn each that go for the opposite line.
  static bool serve(const WallGame& game);

  // From now on the game is to know the values of positions in which so many walls are left that fit, to both players
  // together, where it can solve them at all (most_last_walls); at first, of all that it can.
  void prove_walls(int most) { proven_walls_ = most; }
  int proven_walls() const { return proven_walls_; }

  // Whether it has room for the game's races.
  bool has_room() const { return words_ > 0; }
  // The race between the walls of `state`, with every win of both players. The game has the board that the tables were
  // made for; moves may differ.
  const Race& race(const WallGame& game, const State& state);
  // The same as far as it tells how the position of `state` ends, if with a win of one of these players: with all of
  // their wins that are quicker than the one from there. What is looked for is solved to its end when a second position
  // shows that more of it is needed.
  const Race& race_from(const WallGame& game, const State& state, Winners winners);

  // The game between the walls of `state`, in which the players still have at least one wall that fits, and no more
  // than the game can solve (most_last_walls).
  const Race& last_walls(const WallGame& game, const State& state);

  // How often one was solved so far.
  std::uint64_t solved() const { return solved_; }
  std::size_t memory_bytes() const { return races_ * (words_ * sizeof(std::uint64_t) + sizeof(Entry)); }

 private:
  // Where one player alone has walls, a search meets the same ones again and again, each placed from several positions
  // of the pawns: with room for 64 races it solves each once, with 8 one and a half to two and a half times. Room that
  // no game comes to need is never written.
  static constexpr std::size_t kMostRaces = 64;
  static constexpr std::size_t kLeastRaces = 8;
  static constexpr std::size_t kRoom = 640 << 10;  // bytes that more than the least may take

  struct Entry {
    Configuration walls;
    std::array<int, 2> left{};  // the players' walls
    std::uint64_t used = 0;     // when it was last asked for; 0: it is empty
    bool solved = false;        // the race is of these walls
    Race race;
  };

  // The entry of these walls, or the one asked for longest ago, emptied for them.
  Entry& entry(const WallGame& game, const State& state, const std::array<int, 2>& left = {});
  void solve(Entry& entry, const WallGame& game, Winners winners, const State* until);

  int proven_walls_ = 2;
  std::size_t words_ = 0;  // of one race
  std::unique_ptr<std::uint64_t[]> digits_;
  std::size_t races_ = 0;                         // that there is room for
  std::array<std::uint64_t, kMostRaces> keys_{};  // of the walls and of the rules that a race depends on
  std::unique_ptr<Entry[]> entries_;
  std::uint64_t asked_ = 0;
  std::uint64_t solved_ = 0;
};

}  // namespace koridor::wall
