// Races of pawns against the exact solver.
#include "core/wall/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/wall/retrograde.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using wall::has_walls;
using wall::Race;
using wall::RaceTables;
using wall::random_position;
using wall::Score;
using wall::Square;
using wall::State;
using wall::WallGame;

class RaceTable : public testing::TestWithParam<const char*> {};

// Every pair of pawns between random walls, against the backward induction of the solver.
TEST_P(RaceTable, HasThePliesOfTheSolver) {
  const WallGame game = wall::make_game(GetParam());
  RaceTables tables(game);
  wall::Retrograde retrograde(game);
  const auto pairs = static_cast<std::size_t>(retrograde.places().pairs());
  std::vector<Score> south(pairs), north(pairs);
  Random random(5);
  for (int round = 0; round < 12; ++round) {
    const Position<WallGame> position = random_position(game, 2 * game.rules().walls * (round % 4), random);
    const State& state = position.state;
    retrograde.set_walls({state.horizontal, state.vertical});
    retrograde.clear(south, wall::kNoWall);
    retrograde.clear(north, wall::kNoWall);
    retrograde.solve({south, north});
    const Race& race = tables.race(game, state);
    ASSERT_TRUE(race.complete());
    int compared = 0;
    game.geometry().board.for_each([&](Square one) {
      game.geometry().board.for_each([&](Square two) {
        if (game.geometry().goal[0].test(one) || game.geometry().goal[1].test(two)) return;
        const auto pair = static_cast<std::size_t>(retrograde.places().pair(one, two));
        for (const int mover : {0, 1}) {
          const Score score = (mover == 0 ? south : north)[pair];
          if (score == wall::kNoPosition) continue;
          ++compared;
          EXPECT_EQ(race.plies(mover, one, two), wall::plies_of(score)) << static_cast<int>(score);
          EXPECT_TRUE(score == 0 || (score > 0) == (race.plies(mover, one, two) % 2 == 1));
        }
      });
    });
    EXPECT_GT(compared, 20);
    ASSERT_FALSE(HasFailure()) << game.print_board(state, Notation::standard, false);
  }
}

// What is looked for no further than one position asks is the same as in the whole table, whichever positions are asked
// for in whatever order.
TEST_P(RaceTable, TellsWhatIsAskedAsTheWholeTableDoes) {
  const WallGame game = wall::make_game(GetParam());
  RaceTables whole(game);
  RaceTables asked(game);
  Random random(6);
  const auto any_square = [&] {
    return wall::make_square(random.below(game.rules().rows), random.below(game.rules().columns));
  };
  std::array<int, 3> found{};
  for (int round = 0; round < 12; ++round) {
    State state = random_position(game, 2 * game.rules().walls * (round % 4), random).state;
    const Race& race = whole.race(game, state);
    for (int question = 0; question < 8; ++question) {
      state.pawns[0] = any_square();
      state.pawns[wall::kMaxPawns] = any_square();
      state.player = static_cast<std::uint8_t>(random.below(2));
      if (state.pawns[0] == state.pawns[wall::kMaxPawns] || game.geometry().goal[0].test(state.pawns[0]) ||
          game.geometry().goal[1].test(state.pawns[wall::kMaxPawns])) {
        continue;
      }
      const auto plies_in = [&](const Race& table, Square north) {
        return table.plies(state.player, state.pawns[0], north);
      };
      const int plies = plies_in(race, state.pawns[wall::kMaxPawns]);
      const int winner = plies % 2 == 1 ? state.player : 1 - state.player;
      const int wanted = 1 + random.below(3);
      const Race& part = asked.race_from(game, state, static_cast<wall::Winners>(wanted));
      EXPECT_EQ(part.complete(), race.complete());
      EXPECT_EQ(part.may_pass(), race.may_pass());
      const int told = plies_in(part, state.pawns[wall::kMaxPawns]);
      const bool counts = plies != 0 && (wanted >> winner & 1) != 0;
      EXPECT_TRUE(told == plies || (!counts && told == 0)) << told << " instead of " << plies;
      if (!counts) continue;
      ++found[static_cast<std::size_t>(wanted - 1)];
      // Nor is one of the winner's quicker wins missing.
      game.geometry().board.for_each([&](Square north) {
        const int other = plies_in(race, north);
        EXPECT_TRUE(other >= plies || other % 2 != plies % 2 || plies_in(part, north) == other);
      });
    }
    ASSERT_FALSE(HasFailure()) << game.print_board(state, Notation::standard, false);
  }
  EXPECT_GT(std::min({found[0], found[1], found[2]}), 2);
}

INSTANTIATE_TEST_SUITE_P(Boards, RaceTable,
                         testing::Values("quoridor:3x3,walls=1", "quoridor:5x4,walls=3", "quoridor:5x5,walls=4",
                                         "quoridor:5x5,walls=4,jumps=false", "quoridor:8x8,walls=8",
                                         "quoridor:6x11,walls=9", "quoridor:9x9,walls=10", "quoridor:11x14,walls=20",
                                         "quoridor:5x5,walls=4,step=diagonal", "pinko-pallino:6x6,walls=5",
                                         "pinko-pallino:11x11,walls=21",
                                         "pinko-pallino:7x6,walls=8,diagonal_step=both"));

// An arrangement of walls is solved once, however many positions of it are asked for and others in between.
TEST(Races, AreKept) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=3");
  RaceTables tables(game);
  Random random(9);
  std::vector<Position<WallGame>> positions;
  while (positions.size() < 3) {
    const Position<WallGame> position = random_position(game, 20, random);
    if (!has_walls(position.state, 0) && !has_walls(position.state, 1)) positions.push_back(position);
  }
  for (int round = 0; round < 10; ++round) {
    for (const Position<WallGame>& position : positions) {
      EXPECT_TRUE(game.known_value(position.state, position.history, tables, false));
    }
  }
  EXPECT_EQ(tables.solved(), 3u);
}

// Who asks about one position waits for no longer wins than its own, and for no others' where they do not matter.
TEST(Races, AreSolvedNoFurtherThanAsked) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=0");
  State state = game.initial_state();
  RaceTables tables(game);
  const Square near = wall::make_square(1, 0);
  const Square far = wall::make_square(3, 0);
  const Square other = wall::make_square(0, 4);
  state.pawns[0] = near;
  state.pawns[wall::kMaxPawns] = other;
  const Race& race = tables.race_from(game, state, wall::Winners::one);
  EXPECT_EQ(race.plies(0, near, other), 1);
  EXPECT_EQ(race.plies(0, far, other), 0);  // takes longer
  tables.race(game, state);
  EXPECT_EQ(race.plies(0, far, other), 5);
  EXPECT_EQ(tables.solved(), 2u);
}

}  // namespace
}  // namespace koridor
