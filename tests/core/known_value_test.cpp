// What a wall game knows without a network, and what a search makes of it, against the exact solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/search/search.h"
#include "core/solve/solver.h"
#include "core/wall/fitting_walls.h"
#include "core/wall/last_walls.h"
#include "core/wall/race.h"
#include "selfplay/analysis/restricted_game.h"
#include "tests/core/full_tree.h"
#include "tests/core/search_support.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using wall::has_walls;
using wall::RaceTables;
using wall::random_position;
using wall::State;
using wall::WallGame;

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
  int last = 0;  // with a wall left that fits
  int full = 0;  // with more walls than fit
  for (int round = 0; round < 1500; ++round) {
    const Position<WallGame> position = random_position(game, 2 + round % (game.max_plies() - 2), random);
    const State& state = position.state;
    const std::optional<KnownValue> value = game.known_value(state, position.history, tables, false);
    const int walls = state.walls_left[0] + state.walls_left[2];
    const int fitting = wall::fitting_walls(game.geometry(), {state.horizontal, state.vertical}, last_walls);
    if (std::min(walls, fitting) > last_walls) continue;
    unknown += value ? 0 : 1;
    if (!value) continue;
    EXPECT_TRUE(value->exact);
    last += walls > 0 && fitting > 0 ? 1 : 0;
    full += walls > fitting ? 1 : 0;
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
  EXPECT_TRUE(full > 20 || game.rules().walls < 5) << full;
}

INSTANTIATE_TEST_SUITE_P(Games, KnownValues,
                         testing::Values("quoridor:3x3,walls=0,max_plies=9", "quoridor:5x5,walls=1",
                                         "quoridor:5x5,walls=1,max_plies=12", "quoridor:4x5,walls=2,max_plies=13",
                                         "quoridor:5x5,walls=0,repetition=2", "quoridor:5x5,walls=1,repetition=3",
                                         "quoridor:4x4,walls=0,repetition=3,max_plies=14", "pinko-pallino:4x5,walls=1",
                                         "pinko-pallino:3x4,walls=1,max_plies=9",
                                         "quoridor:3x4,walls=2,jumps=false,repetition=2", "quoridor:3x3,walls=5",
                                         "quoridor:4x4,walls=8,max_plies=40", "quoridor:4x3,walls=6,repetition=3",
                                         "pinko-pallino:3x4,walls=6", "quoridor:3x4,walls=5,jumps=false"));

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

// Walls of each kind, which the solver does not take.
TEST(KnownValue, IsTrueWhereWallsAreOfTwoKinds) {
  const WallGame game = wall::make_game("quoridor:3x3,walls=1,walls_by_kind=true,max_plies=9");
  ASSERT_TRUE(RaceTables::serve(game));
  RaceTables tables(game);
  FullTree<WallGame> tree(game, true);
  Random random(3);
  int known = 0;
  int bounds = 0;
  for (int round = 0; round < 6000; ++round) {
    Position<WallGame> position = random_position(game, 1 + round % 7, random);
    const std::optional<KnownValue> value = game.known_value(position.state, position.history, tables, false);
    if (!value) continue;
    const Solution truth = tree.solution(position);
    const auto mover = static_cast<std::size_t>(position.state.player);
    ASSERT_EQ(value->values[mover], (static_cast<float>(truth.value) + 1) / 2)
        << game.print_board(position.state, Notation::standard, false);
    ASSERT_TRUE(truth.value == Proof::draw || !value->exact || value->plies == truth.distance);
    ASSERT_TRUE(value->exact || value->plies >= truth.distance);
    ++(value->exact ? known : bounds);
  }
  EXPECT_GT(known, 50);
}

// An analysis of some of the actions alone knows nothing while they are all that may be played.
TEST(KnownValue, IsNotThereWithinLimits) {
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
