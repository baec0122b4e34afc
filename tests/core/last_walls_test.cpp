// The last walls, against the exact solver, and the store that all threads keep them in.
#include "core/wall/last_walls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "core/search/search.h"
#include "core/solve/solver.h"
#include "core/wall/fitting_walls.h"
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

// Holds what the game knows between the walls of `position` against the solver, for every pair of pawns. Returns the
// number of positions that a player with walls wins.
int compare_with_solver(const WallGame& game, const Position<WallGame>& position, RaceTables& tables) {
  const Solver<WallGame> solver(game, position, {});
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
        const auto known = game.known_value(other.state, History(), tables);
        ASSERT_TRUE(known && known->exact) << game.print_board(other.state, Notation::standard, false);
        ASSERT_EQ(known->values[static_cast<std::size_t>(mover)], (static_cast<float>(truth.value) + 1) / 2);
        ASSERT_TRUE(truth.value == Proof::draw || known->plies == truth.distance)
            << known->plies << " instead of " << truth.distance;
        wins += truth.value == Proof::win && wall::has_walls(other.state, mover) ? 1 : 0;
      });
    });
  }
  return wins;
}

void set_stock(Position<WallGame>& position, const std::array<int, 2>& left) {
  position.state.walls_left = {};
  for (std::size_t player : {0, 1}) position.state.walls_left[2 * player] = static_cast<std::uint8_t>(left[player]);
  position.state.ply = 0;
}

// Places a wall where the rules allow it; false if none was found.
bool place_random_wall(const WallGame& game, Position<WallGame>& position, Random& random) {
  set_stock(position, {9, 9});
  for (int tries = 0; tries < 100; ++tries) {
    const Action action = game.random_legal_action(position.state, random);
    if (game.geometry().meaning[static_cast<std::size_t>(index(action))].kind == wall::ActionKind::pawn) continue;
    position.apply(game, action);
    return true;
  }
  return false;
}

// Before the last wall and before the last two, whoever has them.
TEST_P(LastWallsTable, HasThePliesOfTheSolver) {
  const WallGame game = wall::make_game(GetParam());
  RaceTables tables(game);
  const int most = wall::most_last_walls(game.geometry(), game.rules());
  ASSERT_GE(most, 1);
  // One wall, of either player; two, of one player or of both.
  const std::vector<std::array<int, 2>> stocks = {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
  Random random(7);
  for (int round = 0, tables_compared = 0; tables_compared < (most == 1 ? 6 : 10); ++round) {
    Position<WallGame> position = random_position(game, 2 + round % game.max_plies(), random);
    set_stock(position, stocks[static_cast<std::size_t>(round % (most == 1 ? 2 : 5))]);
    if (game.winning_action(position.state) != kNoAction) continue;
    EXPECT_GT(compare_with_solver(game, position, tables), 0);
    ASSERT_FALSE(HasFatalFailure());
    ++tables_compared;
  }
}

// The first of two walls may win later than any wall behind it does, with rounds between in which nothing is found.
TEST(LastWalls, KnowTheWinsOfALateWall) {
  struct Case {
    const char* game;
    std::vector<const char*> walls;
    std::array<int, 2> left;
  };
  const std::vector<Case> cases = {
      {"quoridor:5x5,walls=9", {"a3h", "a2v", "d2v", "c4v"}, {2, 0}},
      {"quoridor:5x5,walls=9", {"b3h", "d3h", "a1v", "b2v"}, {0, 2}},
      {"quoridor:3x3,walls=9", {"a2h"}, {2, 0}},
  };
  for (const auto& [name, walls, left] : cases) {
    const WallGame game = wall::make_game(name);
    RaceTables tables(game);
    Position<WallGame> position(game);
    for (const char* const text : walls) {
      const auto action = game.parse_action(position.state, position.history, text);
      ASSERT_TRUE(action) << text;
      position.apply(game, *action);
    }
    set_stock(position, left);
    EXPECT_GT(compare_with_solver(game, position, tables), 0);
    ASSERT_FALSE(HasFatalFailure()) << name << " " << walls.front();
  }
}

// Where the players have more walls than fit: none, one or two can still be placed, by either player or by one.
TEST_P(LastWallsTable, CountsTheWallsThatFit) {
  const WallGame game = wall::make_game(GetParam());
  RaceTables tables(game);
  const wall::Geometry& geometry = game.geometry();
  const int most = wall::most_last_walls(geometry, game.rules());
  const std::vector<std::array<int, 2>> stocks = {{5, 4}, {1, 3}, {3, 1}, {0, 9}, {2, 0}, {1, 1}};
  Random random(11);
  std::array<int, 3> compared{};  // by the walls that fit
  // On 3x3 no board is full: a wall fits beside two, and would close the last way.
  const int full = geometry.rows * geometry.columns > 9 ? 6 : 0;
  for (int round = 0; round < 20000 && compared[0] + compared[1] + (most == 2 ? compared[2] : 6) < full + 12; ++round) {
    Position<WallGame> position(game);
    const wall::State& state = position.state;
    const auto fitting_now = [&] { return wall::fitting_walls(geometry, {state.horizontal, state.vertical}, most); };
    const auto wanted = [&](int fitting) { return fitting <= most && compared[static_cast<std::size_t>(fitting)] < 6; };
    while (!wanted(fitting_now()) && place_random_wall(game, position, random)) {
    }
    const int fitting = fitting_now();
    if (!wanted(fitting)) continue;
    set_stock(position, stocks[static_cast<std::size_t>(round) % stocks.size()]);
    if (game.winning_action(state) != kNoAction) continue;
    compare_with_solver(game, position, tables);
    ASSERT_FALSE(HasFatalFailure());
    ++compared[static_cast<std::size_t>(fitting)];
  }
  EXPECT_EQ(compared[0], full);
  EXPECT_EQ(compared[1], 6);
  EXPECT_EQ(compared[2], most == 2 ? 6 : 0);
}

struct Place {
  int row;
  int column;
  bool horizontal;
};

bool in_the_way(const Place& a, const Place& b) {
  if (a.horizontal != b.horizontal) return a.row == b.row && a.column == b.column;
  const int along = a.horizontal ? a.column - b.column : a.row - b.row;
  const int across = a.horizontal ? a.row - b.row : a.column - b.column;
  return across == 0 && std::abs(along) <= 1;
}

// The most of these places that are not in each other's way, by trying every choice.
int most_of(std::vector<Place> places) {
  if (places.empty()) return 0;
  const Place last = places.back();
  places.pop_back();
  const int without = most_of(places);
  std::erase_if(places, [&](const Place& place) { return in_the_way(place, last); });
  return std::max(without, 1 + most_of(places));
}

TEST(FittingWalls, AreTheMostOfAllChoices) {
  Random random(5);
  for (const char* name : {"quoridor:3x3", "quoridor:3x6", "quoridor:6x3", "quoridor:4x5"}) {
    const WallGame game = wall::make_game(name);
    const wall::Geometry& geometry = game.geometry();
    std::array<int, 5> seen{};
    for (int round = 0; round < 400; ++round) {
      std::vector<Place> free;
      for (int row = 0; row + 1 < geometry.rows; ++row) {
        for (int column = 0; column + 1 < geometry.columns; ++column) {
          for (const bool horizontal : {false, true}) free.push_back({row, column, horizontal});
        }
      }
      wall::Configuration walls;
      for (int placed = round % 12; placed > 0 && !free.empty(); --placed) {
        const Place place = free[static_cast<std::size_t>(random.below(static_cast<int>(free.size())))];
        (place.horizontal ? walls.horizontal : walls.vertical).set(wall::make_square(place.row, place.column));
        std::erase_if(free, [&](const Place& other) { return in_the_way(place, other); });
      }
      const int most = most_of(free);
      for (int limit = 0; limit <= 3; ++limit) {
        ASSERT_EQ(wall::fitting_walls(geometry, walls, limit), std::min(most, limit + 1)) << name;
      }
      ++seen[static_cast<std::size_t>(std::min(most, 4))];
    }
    EXPECT_GT(*std::ranges::min_element(seen), 5) << name;
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
