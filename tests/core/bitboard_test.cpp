// The vector form of a board set against the portable one, alone and inside the algorithms.
#include "core/wall/bitboard.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/registry.h"
#include "core/wall/paths.h"
#include "core/wall/row_floats.h"
#include "core/wall/wall_effects.h"

namespace koridor::wall {
namespace {

Bitboard random_set(Random& random) {
  Bitboard set;
  for (std::uint64_t& word : set.words) word = random.next() & random.next();
  return set;
}

template <class B>
Bitboard stored(B board) {
  Bitboard set;
  board.store(set);
  return set;
}

// What a step should do, square by square.
Bitboard moved(const Bitboard& set, int rows, int columns) {
  Bitboard result;
  set.for_each([&](Square square) {
    const int row = row_of(square) + rows;
    const int column = column_of(square) + columns;
    if (row >= 0 && row < 16 && column >= 0 && column < 16) result.set(make_square(row, column));
  });
  return result;
}

template <class B>
class BoardForms : public testing::Test {};
#ifdef __AVX2__
using Forms = testing::Types<ScalarBoard, VectorBoard>;
#else
using Forms = testing::Types<ScalarBoard>;
#endif
TYPED_TEST_SUITE(BoardForms, Forms);

TYPED_TEST(BoardForms, StepsAndSets) {
  using B = TypeParam;
  Random random(1);
  EXPECT_FALSE(B().any());
  for (int i = 0; i < 200; ++i) {
    const Bitboard a = random_set(random);
    const Bitboard b = random_set(random);
    EXPECT_EQ(stored(B(a)), a);
    EXPECT_EQ(stored(B::fresh(a)), a);
    EXPECT_EQ(stored(B(a).north()), moved(a, -1, 0));
    EXPECT_EQ(stored(B(a).south()), moved(a, 1, 0));
    EXPECT_EQ(stored(B(a).east()), moved(a, 0, 1));
    EXPECT_EQ(stored(B(a).west()), moved(a, 0, -1));
    Bitboard both, either, without;
    for (int word = 0; word < 4; ++word) {
      both.words[word] = a.words[word] & b.words[word];
      either.words[word] = a.words[word] | b.words[word];
      without.words[word] = a.words[word] & ~b.words[word];
    }
    EXPECT_EQ(stored(B(a) & B(b)), both);
    EXPECT_EQ(stored(B(a) | B(b)), either);
    EXPECT_EQ(stored(B(a) - B(b)), without);
    EXPECT_EQ(B(a).any(), a.any());
  }
  for (int square = 0; square < 256; ++square) {
    const Bitboard one = stored(B::of(static_cast<Square>(square)));
    EXPECT_EQ(one.count(), 1);
    EXPECT_EQ(one.first(), square);
    EXPECT_TRUE(B(one).any());
  }
}

TEST(Bitboard, FlippedBoards) {
  Random random(3);
  for (int rows = 2; rows <= 16; ++rows) {
    for (int columns = 2; columns <= 15; ++columns) {
      for (const bool flip_rows : {false, true}) {
        for (const bool flip_columns : {false, true}) {
          Bitboard set, expected;
          for (int i = 0; i < 20; ++i) {
            const int row = random.below(rows);
            const int column = random.below(columns);
            set.set(make_square(row, column));
            expected.set(make_square(flip_rows ? rows - 1 - row : row, flip_columns ? columns - 1 - column : column));
          }
          ASSERT_EQ(flipped(set, rows, columns, flip_rows, flip_columns), expected) << rows << "x" << columns;
        }
      }
    }
  }
}

template <class Row>
void check_rows_as_floats() {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const auto bits = [&] { return random.next() & 0xFFFF; };
    const std::uint64_t first = bits(), second = bits();
    Row floats(first, 0.25f);
    floats.add(second, 3.0f);
    floats.multiply(2.0f);
    std::array<float, Row::kSize> entries{};
    floats.store(entries.data());
    for (int entry = 0; entry < Row::kSize; ++entry) {
      const float expected = ((first >> entry & 1) != 0 ? 0.5f : 0.0f) + ((second >> entry & 1) != 0 ? 6.0f : 0.0f);
      ASSERT_EQ(entries[static_cast<std::size_t>(entry)], expected);
    }
  }
}

TEST(Bitboard, RowsAsFloats) {
  check_rows_as_floats<RowFloats>();
  check_rows_as_floats<NarrowRowFloats>();
  check_rows_as_floats<ScalarRowFloats<16>>();
  check_rows_as_floats<ScalarRowFloats<8>>();
}

template <class Rows, int kSize>
void check_digits_as_floats() {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    std::array<std::uint64_t, 5> digits;
    for (std::uint64_t& digit : digits) digit = random.next();
    const Rows rows(digits);
    for (int row = 0; row < 4; ++row) {
      std::array<float, kSize> entries{};
      rows.store(row, 0.1f, entries.data());
      for (int entry = 0; entry < kSize; ++entry) {
        int number = 0;
        for (int digit = 0; digit < 5; ++digit) {
          number += static_cast<int>(digits[static_cast<std::size_t>(digit)] >> (16 * row + entry) & 1) << digit;
        }
        ASSERT_EQ(entries[static_cast<std::size_t>(entry)], static_cast<float>(number) * 0.1f);
      }
    }
  }
}

TEST(Bitboard, DigitsAsFloats) {
  check_digits_as_floats<FastDigitRows<RowFloats>, 16>();
  check_digits_as_floats<FastDigitRows<NarrowRowFloats>, 8>();
  check_digits_as_floats<DigitRows<RowFloats>, 16>();
  check_digits_as_floats<DigitRows<ScalarRowFloats<8>>, 8>();
}

#ifdef __AVX2__
// Both forms find the same walls and distances.
TEST(BoardFormsTogether, LegalWallsAgree) {
  Random random(2);
  for (const char* variant :
       {"quoridor", "quoridor:11x11,walls=31", "quoridor:3x11,walls=9", "quoridor4:5x5,walls=4"}) {
    const WallGame game = std::get<WallGame>(parse_game(variant));
    for (int round = 0; round < 20; ++round) {
      Position position(game);
      for (int ply = 0; ply < 60 && !game.outcome(position.state, position.history).over(); ++ply) {
        const State& state = position.state;
        const Ways ways = game.ways(state);
        const WallSets vector = legal_walls<VectorBoard>(game.geometry(), state.horizontal, state.vertical, ways);
        const WallSets scalar = legal_walls<ScalarBoard>(game.geometry(), state.horizontal, state.vertical, ways);
        ASSERT_EQ(vector.horizontal, scalar.horizontal);
        ASSERT_EQ(vector.vertical, scalar.vertical);
        const OpenSteps<ScalarBoard> open(game.geometry(), ScalarBoard(state.horizontal), ScalarBoard(state.vertical));
        for (int player = 0; player < game.players(); ++player) {
          ASSERT_EQ(distance_to(open, state.pawns[player * kMaxPawns], ScalarBoard(game.geometry().goal[player])),
                    game.distance(state, player));
        }
        position.apply(game, game.random_legal_action(state, random));
      }
    }
  }
}

// What walls do to the shortest ways, as a list.
template <class B, class MakeSteps>
std::vector<std::array<int, 4>> lengthening_walls(const WallGame& game, const State& state, MakeSteps&& make_steps) {
  B free_horizontal, free_vertical;
  free_walls(game.geometry(), B(state.horizontal), B(state.vertical), free_horizontal, free_vertical);
  const WallSets free{stored(free_horizontal), stored(free_vertical)};
  const auto steps = make_steps(B(state.horizontal), B(state.vertical));
  std::vector<std::array<int, 4>> found;
  ShortestWays ways;
  for (int player = 0; player < game.players(); ++player) {
    find_shortest_ways<B>(steps, state.pawns[player * kMaxPawns], game.geometry().goal[player], ways);
    found.push_back({player, ways.length, stored(squares_on<B>(steps, ways)).count(), 0});
    for_each_lengthening_wall<B>({{state.horizontal, state.vertical}, free, 8}, steps, ways, make_steps,
                                 [&](ActionKind kind, Square anchor, int longer) {
                                   found.push_back({player, static_cast<int>(kind), anchor, longer});
                                 });
  }
  return found;
}

TEST(BoardFormsTogether, LengtheningWallsAgree) {
  Random random(3);
  for (const char* variant : {"quoridor", "quoridor:3x11,walls=9", "pinko-pallino:7x6"}) {
    const WallGame game = std::get<WallGame>(parse_game(variant));
    const auto make_steps = [&](auto horizontal, auto vertical) {
      return OpenSteps<decltype(horizontal)>(game.geometry(), horizontal, vertical);
    };
    const auto make_eight = [&](auto horizontal, auto vertical) {
      return EightSteps<decltype(horizontal)>(make_steps(horizontal, vertical), game.rules().diagonal_step);
    };
    Position position(game);
    for (int ply = 0; ply < 60 && !game.outcome(position.state, position.history).over(); ++ply) {
      const State& state = position.state;
      if (game.rules().step == Step::diagonal) {
        ASSERT_EQ(lengthening_walls<VectorBoard>(game, state, make_eight),
                  lengthening_walls<ScalarBoard>(game, state, make_eight));
      } else {
        ASSERT_EQ(lengthening_walls<VectorBoard>(game, state, make_steps),
                  lengthening_walls<ScalarBoard>(game, state, make_steps));
      }
      position.apply(game, game.random_legal_action(state, random));
    }
  }
}
#endif

}  // namespace
}  // namespace koridor::wall
