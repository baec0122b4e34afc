// The exact solver: against a full look at every continuation, against symmetric positions, and the published results.
#include "core/solve/solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/registry.h"
#include "tests/core/full_tree.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using wall::WallGame;

WallGame wall_game(const std::string& variant) {
  return std::get<WallGame>(parse_game(variant));
}

// A position after up to `plies` random actions, not over.
Position<WallGame> random_position(const WallGame& game, int plies, Random& random) {
  Position<WallGame> position(game);
  for (int ply = 0; ply < plies; ++ply) {
    Position<WallGame> next = position;
    next.apply(game, game.random_legal_action(position.state, random));
    if (game.outcome(next.state, next.history).over()) break;
    position = next;
  }
  return position;
}

void expect_equal(const Solution& solved, const Solution& searched) {
  EXPECT_EQ(solved.value, searched.value);
  EXPECT_EQ(solved.distance, searched.distance);
  EXPECT_EQ(solved.actions, searched.actions);
  EXPECT_EQ(solved.best, searched.best);
}

class SmallGame : public testing::TestWithParam<const char*> {};

// All values, distances and actions of random positions, with caps so low that they decide many of them.
TEST_P(SmallGame, HasTheValuesOfTheFullTree) {
  const WallGame game = wall_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  FullTree<WallGame> tree(game, true);
  Random random(7);
  std::set<Proof> values;
  for (int i = 0; i < 40; ++i) {
    Position<WallGame> position = random_position(game, i % 12, random);
    const Solution solution = solver.solution(position);
    values.insert(solution.value);
    expect_equal(solution, tree.solution(position));
    ASSERT_FALSE(HasFailure()) << game.print_board(position.state, Notation::standard, false);
  }
  EXPECT_GE(values.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Solver, SmallGame,
                         testing::Values("quoridor:3x3,walls=0", "quoridor:3x3,walls=1", "quoridor:3x3,walls=2",
                                         "quoridor:3x3,walls=2,max_plies=7", "quoridor:3x3,walls=2,max_plies=13",
                                         "quoridor:4x3,walls=1,max_plies=16", "quoridor:3x4,walls=1,max_plies=17",
                                         "quoridor:4x4,walls=1,max_plies=12", "quoridor:5x3,walls=1,max_plies=13"));

class RepeatingGame : public testing::TestWithParam<const char*> {};

// With a rule of repetition the past counts: pawns that walked to and fro, and values from there.
TEST_P(RepeatingGame, HasTheValuesOfTheFullTree) {
  const WallGame game = wall_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  FullTree<WallGame> tree(game, false);
  Random random(11);
  int changed = 0;  // positions whose value the past decides
  for (int i = 0; i < 200; ++i) {
    Position<WallGame> position = random_position(game, game.max_plies() - 4 - i % 4, random);
    if (position.state.ply < game.max_plies() - 7) continue;  // its tree is too big
    const Solution solution = solver.solution(position);
    expect_equal(solution, tree.solution(position));
    Position<WallGame> fresh = position;
    fresh.history.clear();
    if (solver.solution(fresh).actions != solution.actions) ++changed;
    ASSERT_FALSE(HasFailure()) << game.print_board(position.state, Notation::standard, false);
  }
  EXPECT_GT(changed, 0);
}

INSTANTIATE_TEST_SUITE_P(Solver, RepeatingGame,
                         testing::Values("quoridor:3x3,walls=0,repetition=2,max_plies=13",
                                         "quoridor:3x3,walls=1,repetition=2,max_plies=13",
                                         "quoridor:3x3,walls=0,repetition=3,max_plies=20",
                                         "quoridor:4x3,walls=1,repetition=2,max_plies=14"));

// The same position with the players swapped and the board turned, or mirrored, or both.
Position<WallGame> image(const WallGame& game, const Position<WallGame>& position, int symmetry) {
  const wall::Geometry& geometry = game.geometry();
  Position<WallGame> result = position;
  wall::State& state = result.state;
  const bool swap = (symmetry & wall::kHalfTurn) != 0;
  const wall::Configuration walls = wall::transformed(geometry, {state.horizontal, state.vertical}, symmetry);
  state.horizontal = walls.horizontal;
  state.vertical = walls.vertical;
  for (wall::Square& pawn : state.pawns) {
    const int row = swap ? geometry.rows - 1 - wall::row_of(pawn) : wall::row_of(pawn);
    const bool flip = swap != ((symmetry & wall::kMirror) != 0);
    pawn = wall::make_square(row, flip ? geometry.columns - 1 - wall::column_of(pawn) : wall::column_of(pawn));
  }
  if (swap) {
    std::swap(state.pawns[0], state.pawns[wall::kMaxPawns]);
    std::swap(state.walls_left[0], state.walls_left[2]);
    state.player = static_cast<std::uint8_t>(1 - state.player);
  }
  return result;
}

TEST(Solver, GivesSymmetricPositionsTheSameValue) {
  for (const char* const variant : {"quoridor:5x5,walls=1", "quoridor:4x5,walls=1", "quoridor:4x4,walls=2"}) {
    const WallGame game = wall_game(variant);
    const Solver<WallGame> solver(game, Position<WallGame>(game), {});
    Random random(3);
    for (int i = 0; i < 200; ++i) {
      const Position<WallGame> position = random_position(game, i % 14, random);
      const Solution solution = solver.solution(position);
      for (int symmetry = 1; symmetry < 4; ++symmetry) {
        const Solution other = solver.solution(image(game, position, symmetry));
        EXPECT_EQ(other.value, solution.value);
        EXPECT_EQ(other.distance, solution.distance);
        EXPECT_EQ(other.best.size(), solution.best.size());
      }
    }
  }
}

// A position in the middle of the game, its stocks unequal, solved on its own and as part of the whole game.
TEST(Solver, SolvesLaterPositionsAlike) {
  const WallGame game = wall_game("quoridor:5x5,walls=2");
  const Solver<WallGame> whole(game, Position<WallGame>(game), {});
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const Position<WallGame> position = random_position(game, 2 + i % 8, random);
    const Solver<WallGame> part(game, position, {.mebibytes = 16, .keep_all = false});
    EXPECT_TRUE(whole.covers(position));
    ASSERT_TRUE(part.covers(position));
    expect_equal(part.solution(position), whole.solution(position));
    if (position.state.horizontal.any() || position.state.vertical.any()) {
      EXPECT_FALSE(part.covers(Position<WallGame>(game)));
    }
  }
}

struct Known {
  const char* variant;
  int winner;  // 0, 1
  int plies;
};

// shared/rules section 3: 3x3 is won by player two with any number of walls, 5x5 with 0 to 4 (scripts/check_solved has
// the slow ones). The numbers of plies are this solver's, those on 3x3 the full tree's as well.
TEST(Solver, ConfirmsThePublishedResults) {
  for (const Known& known : {Known{"quoridor:3x3,walls=0", 1, 4}, Known{"quoridor:3x3,walls=1", 1, 8},
                             Known{"quoridor:3x3,walls=2", 1, 12}, Known{"quoridor:3x3,walls=3", 1, 12},
                             Known{"quoridor:3x3,walls=31", 1, 12}, Known{"quoridor:5x5,walls=0", 1, 8},
                             Known{"quoridor:5x5,walls=1", 1, 12}, Known{"quoridor:5x5,walls=2", 1, 18}}) {
    const WallGame game = wall_game(known.variant);
    const Position<WallGame> start(game);
    const Solution solution = Solver<WallGame>(game, start, {.keep_all = false}).solution(start);
    EXPECT_EQ(solution.value, known.winner == 0 ? Proof::win : Proof::loss) << known.variant;
    EXPECT_EQ(solution.distance, known.plies) << known.variant;
  }
}

// Nobody can force a win in some positions on 5x5: the value is a draw whatever the cap, and best play never ends.
TEST(Solver, FindsPositionsNobodyCanWin) {
  const WallGame game = wall_game("quoridor:5x5,walls=2");
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  EXPECT_GT(solver.report().drawn, 0u);
  EXPECT_LT(solver.report().drawn, solver.report().positions / 1000);
  EXPECT_LT(solver.report().longest, game.max_plies());
}

template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Solver, SaysWhatItCannotSolve) {
  const auto solve = [](const char* variant, const SolveLimits& limits) {
    const WallGame game = wall_game(variant);
    return complaint([&] { Solver<WallGame>(game, Position<WallGame>(game), limits); });
  };
  EXPECT_THAT(solve("quoridor", {}), HasSubstr("quoridor is too big to solve in 2048 MiB"));
  EXPECT_THAT(solve("quoridor4:5x5,walls=1", {}), HasSubstr("only games of two players"));
  EXPECT_THAT(solve("quoridor:5x5,walls=2", {.keep_going = [] { return false; }}), HasSubstr("in the time given"));
  const WallGame game = wall_game("quoridor:3x3,walls=1");
  Position<WallGame> later(game);
  later.apply(game, *game.parse_action(later.state, later.history, "a1h"));
  const Solver<WallGame> solver(game, later, {});
  EXPECT_THAT(complaint([&] { solver.solution(Position<WallGame>(game)); }), HasSubstr("does not follow"));
}

}  // namespace
}  // namespace koridor
