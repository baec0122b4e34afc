// Races of pawns, and what a search makes of them, against the exact solver.
#include "core/wall/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/registry.h"
#include "core/search/search.h"
#include "core/solve/solver.h"
#include "core/wall/last_walls.h"
#include "core/wall/last_walls_store.h"
#include "core/wall/paths.h"
#include "core/wall/retrograde.h"
#include "selfplay/analysis/restricted_game.h"
#include "tests/core/search_support.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using wall::Race;
using wall::RaceTables;
using wall::Score;
using wall::Square;
using wall::State;
using wall::WallGame;

// A position after random actions, walls as often as pawn moves; not over.
Position<WallGame> random_position(const WallGame& game, int plies, Random& random) {
  Position<WallGame> position(game);
  for (int ply = 0; ply < plies; ++ply) {
    Position<WallGame> next = position;
    Action action = game.random_legal_action(position.state, random);
    if (random.chance(0.5)) {
      const auto pawn = [&] { return game.geometry().meaning[static_cast<std::size_t>(index(action))].kind; };
      for (int i = 0; i < 50 && pawn() != wall::ActionKind::pawn; ++i) {
        action = game.random_legal_action(position.state, random);
      }
    }
    next.apply(game, action);
    if (game.outcome(next.state, next.history).over()) break;
    position = next;
  }
  return position;
}

bool has_walls(const State& state, int player) {
  return state.walls_left[static_cast<std::size_t>(player * 2)] > 0;
}

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

class KnownValues : public testing::TestWithParam<const char*> {};

// What the game knows is true, with caps so low that they decide and with rules of repetition after pawns that went to
// and fro; and a search says the same at once, with all the best actions.
TEST_P(KnownValues, AreTrueAndSeenByTheSearch) {
  const WallGame game = wall::make_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  RaceTables tables(game);
  UniformEvaluator<WallGame> evaluate(game);
  Random random(3);
  SearchConfig config = with("puct");
  config.proven_walls = 2;
  Search<WallGame> search(game, config, 1);
  const int last_walls = wall::most_last_walls(game.geometry(), game.rules());
  std::array<int, 3> known{};
  int unknown = 0;
  int last = 0;  // with a wall left
  for (int round = 0; round < 1500; ++round) {
    const Position<WallGame> position = random_position(game, 2 + round % (game.max_plies() - 2), random);
    const State& state = position.state;
    const std::optional<KnownValue> value = game.known_value(state, position.history, tables, false);
    const int walls = state.walls_left[0] + state.walls_left[wall::kMaxPawns];
    if (walls > last_walls) continue;
    unknown += value ? 0 : 1;
    if (!value) continue;
    EXPECT_TRUE(value->exact);
    last += walls > 0 ? 1 : 0;
    const Solution truth = solver.solution(position);
    ++known[static_cast<std::size_t>(truth.value) + 1];
    const auto mover = static_cast<std::size_t>(state.player);
    ASSERT_EQ(value->values[mover], (static_cast<float>(truth.value) + 1) / 2) << game.print_board(state, {}, false);
    const bool ends = truth.value != Proof::draw;
    ASSERT_TRUE(!ends || value->plies == truth.distance) << value->plies << " instead of " << truth.distance;

    search.reset(position);
    evaluate.calls = 0;
    run_search(search, {.visits = 1, .explore = true}, random, evaluate);
    ASSERT_TRUE(search.proven());
    EXPECT_EQ(evaluate.calls, 1);
    EXPECT_EQ(search.root_value(), value->values);
    EXPECT_TRUE(std::ranges::count(truth.best, search.best_action()));
    for (const ActionStatistics& entry : search.statistics()) {
      const SolvedAction& solved = *std::ranges::find(truth.actions, entry.action, &SolvedAction::action);
      if (!entry.proven) continue;
      EXPECT_EQ(entry.value, (static_cast<float>(solved.value) + 1) / 2);
      EXPECT_TRUE(solved.value == Proof::draw || entry.plies == solved.distance);
    }
    std::vector<Action> line;
    search.principal_variation(line);
    EXPECT_TRUE(!ends || static_cast<int>(line.size()) == truth.distance);
    if (truth.value == Proof::win && truth.distance > 1) {
      std::vector<PolicyEntry> policy;
      search.policy_target(policy);
      std::vector<Action> targets;
      for (const PolicyEntry& entry : policy) targets.push_back(entry.action);
      EXPECT_EQ(targets, truth.best);
    }
    ASSERT_FALSE(HasFailure()) << game.print_board(state, Notation::standard, false);
  }
  EXPECT_GT(known[0] + known[2], 50);
  EXPECT_TRUE(unknown == 0 || game.looks_back()) << unknown;
  EXPECT_TRUE(last > 20 || last_walls == 0 || game.rules().walls == 0) << last;
}

INSTANTIATE_TEST_SUITE_P(Games, KnownValues,
                         testing::Values("quoridor:3x3,walls=0,max_plies=9", "quoridor:5x5,walls=1",
                                         "quoridor:5x5,walls=1,max_plies=12", "quoridor:4x5,walls=2,max_plies=13",
                                         "quoridor:5x5,walls=0,repetition=2", "quoridor:5x5,walls=1,repetition=3",
                                         "quoridor:4x4,walls=0,repetition=3,max_plies=14", "pinko-pallino:4x5,walls=1",
                                         "pinko-pallino:3x4,walls=1,max_plies=9",
                                         "quoridor:3x4,walls=2,jumps=false,repetition=2"));

class Bounds : public testing::TestWithParam<const char*> {};

// Who alone has walls and needs none of them wins: against the solver, with caps, repetition and pawns without a move.
TEST_P(Bounds, AreTrueAndSeenByTheSearch) {
  const WallGame game = wall::make_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  RaceTables tables(game);
  UniformEvaluator<WallGame> evaluate(game);
  Random random(3);
  SearchConfig config = with("gumbel");
  config.proven_walls = 0;  // nor are the owner's last walls looked into
  tables.prove_walls(0);
  Search<WallGame> search(game, config, 1);
  std::array<int, 2> known{};  // by whether the winner is to move
  for (int round = 0; round < 6000; ++round) {
    const Position<WallGame> position = random_position(game, 2 + round % (game.max_plies() - 2), random);
    const State& state = position.state;
    const bool south = has_walls(state, 0);
    if (south == has_walls(state, 1)) continue;
    const std::optional<KnownValue> value = game.known_value(state, position.history, tables, false);
    if (!value || value->exact) continue;
    const int owner = south ? 0 : 1;
    const Solution truth = solver.solution(position);
    ++known[state.player == owner ? 1 : 0];
    ASSERT_FALSE(value->exact);
    ASSERT_EQ(value->values, Outcome::won_by(owner).values);
    ASSERT_EQ(truth.value, state.player == owner ? Proof::win : Proof::loss) << game.print_board(state, {}, false);
    ASSERT_GE(value->plies, truth.distance);

    search.reset(position);
    run_search(search, {.visits = 1, .explore = true}, random, evaluate);
    ASSERT_TRUE(search.proven());
    EXPECT_EQ(search.root_value(), value->values);
    const auto best = std::ranges::find(truth.actions, search.best_action(), &SolvedAction::action);
    EXPECT_EQ(best->value, truth.value);
    std::vector<Action> line;
    search.principal_variation(line);
    EXPECT_EQ(static_cast<int>(line.size()), value->plies);
    ASSERT_FALSE(HasFailure()) << game.print_board(state, Notation::standard, false);
  }
  EXPECT_GT(std::min(known[0], known[1]), 5);
}

INSTANTIATE_TEST_SUITE_P(Games, Bounds,
                         testing::Values("quoridor:5x5,walls=2", "quoridor:4x5,walls=2,max_plies=13",
                                         "quoridor:5x5,walls=2,repetition=3", "quoridor:4x4,walls=2,repetition=2",
                                         "pinko-pallino:4x5,walls=2", "quoridor:3x4,walls=2,jumps=false",
                                         "pinko-pallino:3x4,walls=2,diagonal_step=both,max_plies=20"));

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

// An analysis of some of the actions alone knows nothing while they are all that may be played.
TEST(Races, AreNotKnownWithinLimits) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=0");
  const Position<WallGame> start(game);
  RaceTables tables(game);
  const std::optional<KnownValue> value = game.known_value(start.state, start.history, tables, false);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->plies, 8);
  ActionLimit limit{.seat = 1, .plies = 3};
  limit.allowed.set(*game.parse_action(start.state, start.history, "c4"));
  const RestrictedGame<WallGame> limited(game, 0, {limit});
  Position<WallGame> position = start;
  Random random(1);
  for (int ply = 0; ply < 4; ++ply) {
    const bool known = limited.known_value(position.state, position.history, tables, false).has_value();
    EXPECT_EQ(known, ply == 3) << ply;
    position.apply(game, game.random_legal_action(position.state, random));
  }
}

}  // namespace
}  // namespace koridor
