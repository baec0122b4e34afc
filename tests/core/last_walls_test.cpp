// The last walls, against the exact solver, and the store that all threads keep them in.
#include "core/wall/last_walls.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "core/search/search.h"
#include "core/solve/solver.h"
#include "core/wall/last_walls_store.h"
#include "core/wall/race.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using wall::Race;
using wall::RaceTables;
using wall::random_position;
using wall::Square;
using wall::WallGame;

class LastWallsTable : public testing::TestWithParam<const char*> {};

// Every pair of pawns before the last wall and before the last two, whoever has them, against the solver.
TEST_P(LastWallsTable, HasThePliesOfTheSolver) {
  const WallGame game = wall::make_game(GetParam());
  RaceTables tables(game);
  const int most = wall::most_last_walls(game.geometry(), game.rules());
  ASSERT_GE(most, 1);
  // One wall, of either player; two, of one player or of both.
  const std::vector<std::array<int, 2>> stocks = {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
  Random random(7);
  for (int round = 0, tables_compared = 0; tables_compared < (most == 1 ? 6 : 10); ++round) {
    const Position<WallGame> begin = random_position(game, 2 + round % game.max_plies(), random);
    const std::array<int, 2> left = stocks[static_cast<std::size_t>(round % (most == 1 ? 2 : 5))];
    Position<WallGame> position = begin;
    position.state.walls_left = {};
    for (std::size_t player : {0, 1}) position.state.walls_left[2 * player] = static_cast<std::uint8_t>(left[player]);
    position.state.ply = 0;
    if (game.winning_action(position.state) != kNoAction) continue;
    const Solver<WallGame> solver(game, position, {});
    const Race& race = tables.last_walls(game, position.state);
    ASSERT_TRUE(race.complete());
    int wins = 0;
    for (int mover = 0; mover < 2; ++mover) {
      game.geometry().board.for_each([&](Square south) {
        game.geometry().board.for_each([&](Square north) {
          Position<WallGame> other = position;
          other.state.player = static_cast<std::uint8_t>(mover);
          other.state.pawns[0] = south;
          other.state.pawns[wall::kMaxPawns] = north;
          if (south == north || game.geometry().goal[0].test(south) || game.geometry().goal[1].test(north)) return;
          // No wall closes a pawn's last way, so that no game comes to such a position.
          for (const int player : {0, 1}) {
            if (game.distance(other.state, player) == wall::kUnreachable) return;
          }
          ASSERT_TRUE(solver.covers(other));
          const Solution truth = solver.solution(other);
          const int plies = race.plies(mover, south, north);
          ASSERT_EQ(plies, truth.distance) << game.print_board(other.state, Notation::standard, false);
          ASSERT_TRUE(plies == 0 || (plies % 2 == 1) == (truth.value == Proof::win));
          wins += truth.value == Proof::win && left[static_cast<std::size_t>(mover)] > 0 ? 1 : 0;
        });
      });
    }
    EXPECT_GT(wins, 0);
    ++tables_compared;
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, LastWallsTable,
                         testing::Values("quoridor:3x3,walls=1", "quoridor:5x4,walls=3", "quoridor:5x5,walls=4",
                                         "quoridor:5x5,walls=1", "quoridor:4x8,walls=4", "quoridor:3x11,walls=4",
                                         "quoridor:7x7,walls=8", "quoridor:8x8,walls=9",
                                         "quoridor:5x5,walls=4,step=diagonal",
                                         "quoridor:5x5,walls=4,step=diagonal,diagonal_step=both"));

TEST(LastWalls, AreSolvedForTheRulesThatTheyKnow) {
  const auto most = [](const char* name) {
    const WallGame game = wall::make_game(name);
    return wall::most_last_walls(game.geometry(), game.rules());
  };
  EXPECT_EQ(most("quoridor:4x8"), 2);
  EXPECT_EQ(most("quoridor:5x5,walls=6"), 2);
  EXPECT_EQ(most("quoridor:8x8"), 1);
  EXPECT_EQ(most("quoridor-kid"), 1);
  for (const char* other : {"quoridor", "quoridor4:5x5", "quoridor:5x5,jumps=false", "quoridor:5x5,walls_by_kind=true",
                            "pinko-pallino:5x5", "blockade:5x7"}) {
    EXPECT_EQ(most(other), 0) << other;
  }
}

// A search knows what comes before as many walls as it is told to.
TEST(LastWalls, AreProvenAsFarAsTheSearchIsToldTo) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=1");
  const Position<WallGame> position(game);  // each player has a wall
  Position<WallGame> after = position;
  after.apply(game, game.geometry().action(wall::ActionKind::horizontal, wall::make_square(0, 0)));
  for (const int walls : {0, 1, 2}) {
    SearchConfig config;
    config.proven_walls = walls;
    Search<WallGame> search(game, config);
    search.reset(position);
    EXPECT_EQ(search.known(), walls == 2);
    search.reset(after);
    EXPECT_EQ(search.known(), walls >= 1);
  }
  EXPECT_EQ(SearchConfig().proven_walls, 1);
  EXPECT_EQ(match_search().proven_walls, 2);
}

// A table is worked out once for all of an arrangement's symmetric ones, and holds what it held when it was put there.
TEST(LastWalls, AreKeptForAllThreads) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=2");
  const wall::Geometry& geometry = game.geometry();
  const int cells = geometry.rows * geometry.columns;
  using Digits = std::array<std::uint64_t, 2 * 25 * Race::kDigits>;
  const auto store = std::make_unique<wall::LastWallsStore>();
  wall::Configuration walls;
  walls.horizontal.set(wall::make_square(1, 1));
  walls.vertical.set(wall::make_square(2, 2));
  const auto key = wall::LastWallsStore::key(geometry, game.rules(), walls, {2, 0});
  const auto both = wall::LastWallsStore::key(geometry, game.rules(), walls, {1, 1});
  Digits there{};
  Digits found{};
  EXPECT_FALSE(store->find(key, cells, found.data()).complete);
  const wall::LastWallsResult result = wall::solve_last_walls(geometry, game.rules(), walls, {2, 0}, there.data());
  ASSERT_TRUE(result.complete);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { store->keep(key, cells, there.data(), result); });
  }
  EXPECT_GE(store->size(), 1U);
  EXPECT_LE(store->size(), 2U);  // two threads may write it at once, each to one of its places
  const wall::LastWallsResult kept = store->find(key, cells, found.data());
  EXPECT_TRUE(kept.complete);
  EXPECT_EQ(kept.digits_used, result.digits_used);
  EXPECT_EQ(found, there);
  EXPECT_FALSE(store->find(both, cells, found.data()).complete);
}

// More arrangements than there is room for: those that came first stay.
TEST(LastWalls, AreKeptWhileThereIsRoom) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=2");
  const wall::Geometry& geometry = game.geometry();
  const auto store = std::make_unique<wall::LastWallsStore>();
  const std::vector<std::uint64_t> digits(50, 1);
  std::vector<std::uint64_t> found(50);
  const auto key = [&](unsigned number) {
    wall::Configuration walls;
    for (int i = 0; i < 16; ++i) {
      if ((number >> i & 1) != 0) walls.horizontal.set(wall::make_square(i / 4, i % 4));
    }
    return wall::LastWallsStore::key(geometry, game.rules(), walls, {1, 1});
  };
  for (unsigned i = 0; i < 1U << 16; ++i) store->keep(key(i), 25, digits.data(), {1, 1, true});
  EXPECT_GT(store->size(), 20'000U);
  EXPECT_LE(store->size(), 1U << 15);
  EXPECT_TRUE(store->find(key(0), 25, found.data()).complete);
  EXPECT_EQ(found, digits);
  const std::size_t kept = store->size();
  store->keep(key(0), 25, digits.data(), {1, 1, true});
  EXPECT_EQ(store->size(), kept);
}

}  // namespace
}  // namespace koridor
