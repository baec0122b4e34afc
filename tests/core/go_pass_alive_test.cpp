// Pass-alive chains against their definition: the other side plays all that it can while the owner passes.
#include <bit>
#include <cstdint>
#include <unordered_set>

#include "core/go/pass_alive.h"
#include "tests/core/go_test_tools.h"

namespace koridor::go {
namespace {

// All that can become of a board of at most 20 points, one bit each, while one side passes; plain code of its own.
class WhileTheOwnerPasses {
 public:
  using Bits = std::uint32_t;

  WhileTheOwnerPasses(int columns, int rows, bool suicide) : suicide_(suicide) {
    for (int point = 0; point < columns * rows; ++point) {
      Bits beside = 0;
      if (point % columns > 0) beside |= Bits{1} << (point - 1);
      if (point % columns + 1 < columns) beside |= Bits{1} << (point + 1);
      if (point >= columns) beside |= Bits{1} << (point - columns);
      if (point + columns < columns * rows) beside |= Bits{1} << (point + columns);
      beside_.push_back(beside);
    }
  }

  Bits never_captured = 0;  // of the owner's stones
  int least_lead = 0;       // the owner's area less the other side's, at any time

  void explore(Bits own, Bits other) {
    seen_.clear();
    never_captured = own;
    least_lead = lead(own, other);
    visit(own, other);
  }

  bool is_legal(Bits own, Bits other) const {
    return without_liberty(own, own | other) == 0 && without_liberty(other, own | other) == 0;
  }

 private:
  Bits neighbours(Bits set) const {
    Bits found = 0;
    for (; set != 0; set &= set - 1) found |= beside_[static_cast<std::size_t>(std::countr_zero(set))];
    return found;
  }
  Bits flood(Bits from, Bits within) const {
    for (Bits next = from;; from = next) {
      next = (from | neighbours(from)) & within;
      if (next == from) return from;
    }
  }
  Bits without_liberty(Bits stones, Bits taken) const {
    const Bits all = (Bits{1} << beside_.size()) - 1;
    return stones & ~flood(stones & neighbours(all & ~taken), stones);
  }
  int lead(Bits own, Bits other) const {
    const Bits empty = ((Bits{1} << beside_.size()) - 1) & ~(own | other);
    const Bits to_own = flood(empty & neighbours(own), empty);
    const Bits to_other = flood(empty & neighbours(other), empty);
    return std::popcount(own | (to_own & ~to_other)) - std::popcount(other | (to_other & ~to_own));
  }
  void visit(Bits own, Bits other) {
    if (!seen_.insert(std::uint64_t{own} << 32 | other).second) return;
    never_captured &= own;
    least_lead = std::min(least_lead, lead(own, other));
    if (own == 0) return;  // the whole board is the other side's
    for (std::size_t point = 0; point < beside_.size(); ++point) {
      const Bits stone = Bits{1} << point;
      if (((own | other) & stone) != 0) continue;
      const Bits placed = other | stone;
      const Bits left = own & ~without_liberty(own, own | placed);
      const Bits dead = without_liberty(placed, left | placed);
      if (dead != 0 && !suicide_) continue;
      visit(left, placed & ~dead);
    }
  }

  bool suicide_;
  std::vector<Bits> beside_;
  std::unordered_set<std::uint64_t> seen_;
};

// Compares what pass_alive() says of the owner's stones with what can become of them.
class Boards {
 public:
  using Bits = WhileTheOwnerPasses::Bits;

  Boards(int columns, int rows, bool suicide)
      : geometry_(columns, rows), suicide_(suicide), truth_(columns, rows, suicide) {}

  bool is_legal(Bits own, Bits other) const { return truth_.is_legal(own, other); }

  int alive = 0;  // positions so far with pass-alive stones

  void check(Bits own, Bits other) {
    with_points(geometry_, [&]<class Points>() {
      const auto points = [&](Bits bits) {
        Points set;
        for (; bits != 0; bits &= bits - 1) {
          set = set | Points::of(geometry_.point[static_cast<std::size_t>(std::countr_zero(bits))]);
        }
        return set;
      };
      Side<Points> side{points(own), points(other), {}};
      side.empty = Points::load(geometry_.board) - side.own - side.other;
      const PassAlive<Points> kept = pass_alive(side, close_regions(side, suicide_), suicide_);
      truth_.explore(own, other);
      ASSERT_TRUE(kept.stones == points(truth_.never_captured)) << std::hex << own << " " << other;
      if (!kept.stones.any()) return;
      ++alive;
      ASSERT_EQ(sure_lead(kept, geometry_.area()), truth_.least_lead) << std::hex << own << " " << other;
    });
  }

 private:
  Geometry geometry_;
  bool suicide_;
  WhileTheOwnerPasses truth_;
};

TEST(GoPassAlive, IsWhatNoPlayCapturesOnEveryBoardOf3x3) {
  for (const bool suicide : {false, true}) {
    Boards boards(3, 3, suicide);
    for (unsigned own = 0; own < 512 && !HasFailure(); ++own) {
      const unsigned rest = 511 & ~own;
      for (unsigned other = rest; !HasFailure(); other = (other - 1) & rest) {
        if (boards.is_legal(own, other)) boards.check(own, other);
        if (other == 0) break;
      }
    }
    EXPECT_GT(boards.alive, 50);
  }
}

// With chains beside each other, stones inside regions, and sets of points of both sizes.
TEST(GoPassAlive, IsWhatNoPlayCaptures) {
  Random random(5);
  for (const auto& [columns, rows, rounds] : {std::tuple(4, 3, 200), std::tuple(5, 3, 40), std::tuple(10, 2, 40)}) {
    for (const bool suicide : {false, true}) {
      Boards boards(columns, rows, suicide);
      for (int round = 0; round < rounds && !HasFailure(); ++round) {
        unsigned own = 0;
        unsigned other = 0;
        for (int point = 0; point < columns * rows; ++point) {
          const int drawn = random.below(20);
          own |= (drawn < 13 ? 1u : 0u) << point;
          other |= (drawn >= 18 ? 1u : 0u) << point;
        }
        if (boards.is_legal(own, other)) boards.check(own, other);
      }
      EXPECT_GT(boards.alive, 5) << columns;
    }
  }
}

// The stones of black that are pass-alive, as on a board, without white's.
std::vector<std::string> alive_of(const std::vector<std::string>& rows, bool suicide = false) {
  const GoGame game = go_game("go:" + std::to_string(rows[0].size()) + "x" + std::to_string(rows.size()));
  State state = set_up(game, rows, 0).state;
  with_points(game.geometry(), [&]<class Points>() {
    const Side<Points> side = side_of<Points>(game.geometry(), state.stones, 0);
    pass_alive(side, close_regions(side, suicide), suicide).stones.store(state.stones[0]);
    state.stones[1] = {};
  });
  return board_of(game, state);
}

using Rows = std::vector<std::string>;

TEST(GoPassAlive, ByExample) {
  const Rows none = {".....", ".....", ".....", "....."};
  // Two eyes, and one eye of any size.
  EXPECT_EQ(alive_of({".X.XO", "XXXXO", "OOOO.", "....."}), (Rows{".X.X.", "XXXX.", ".....", "....."}));
  EXPECT_EQ(alive_of({"..XO.", "XXXO.", "OOO..", "....."}), none);
  // A region may be large if all that is empty in it is beside the chain; A1 and B1 are not, but white may fill them.
  EXPECT_EQ(alive_of({".XXXX", "XXXXX", "....X", "...XX"}), none);
  EXPECT_EQ(alive_of({".XXXX", "XXXXX", "....X", "OO.XX"}), (Rows{".XXXX", "XXXXX", "....X", "...XX"}));
  // A2 has only the eye at A4, which is therefore false, and what lives by it dies with it.
  EXPECT_EQ(alive_of({".X.XO", "XOXXO", "OOXO.", "....."}), none);
  // Two chains that live by two eyes of both.
  EXPECT_EQ(alive_of({"X.XO.", "X.XO.", ".XXO.", "XXOO."}), (Rows{"X.X..", "X.X..", ".XX..", "XX..."}));
  // Seki: neither side can begin, but who may play on and on captures.
  EXPECT_EQ(alive_of({"XXO.", "X.O.", "X.OO", "OOO."}), (Rows{"....", "....", "....", "...."}));
}

// The stone in the middle may take itself off, if that is legal; then white lives there.
TEST(GoPassAlive, SuicideMatters) {
  const Rows rows = {"XX.XX", "X.O.X", "XX.XX", ".XXXX"};
  EXPECT_EQ(alive_of(rows, false), (Rows{"XX.XX", "X...X", "XX.XX", ".XXXX"}));
  EXPECT_EQ(alive_of(rows, true), (Rows{".....", ".....", ".....", "....."}));
}

}  // namespace
}  // namespace koridor::go
