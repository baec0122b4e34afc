// The exact solver against the full tree, symmetric positions and published results.
#include "core/solve/solver.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/registry.h"
#include "tests/core/full_tree.h"
#include "tests/core/wall_test_tools.h"
#include "tests/error_of.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using wall::WallGame;

// A position after up to `plies` random actions, not over.
template <Game G>
Position<G> position_after(const G& game, int plies, Random& random) {
  Position<G> position(game);
  for (int ply = 0; ply < plies; ++ply) {
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    Position<G> next = position;
    next.apply(game, legal.nth(random.below(legal.count())));
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
  const WallGame game = wall::make_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  FullTree<WallGame> tree(game, true);
  Random random(7);
  std::set<Proof> values;
  for (int i = 0; i < 40; ++i) {
    Position<WallGame> position = position_after(game, i % 12, random);
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
                                         "quoridor:4x3,walls=1,max_plies=14", "quoridor:3x4,walls=1,max_plies=14",
                                         "quoridor:4x4,walls=1,max_plies=10", "quoridor:5x3,walls=1,max_plies=11",
                                         "pinko-pallino:3x3,walls=1,max_plies=16",
                                         "pinko-pallino:3x4,walls=1,jumps=true,max_plies=11",
                                         "quoridor:3x3,walls=2,jumps=false,max_plies=16",
                                         "quoridor:4x4,walls=1,step=double,jumps=false,max_plies=7"));

class RepeatingGame : public testing::TestWithParam<const char*> {};

// With a rule of repetition the past counts: pawns that walked to and fro, and values from there.
TEST_P(RepeatingGame, HasTheValuesOfTheFullTree) {
  const WallGame game = wall::make_game(GetParam());
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  FullTree<WallGame> tree(game, false);
  Random random(11);
  int changed = 0;  // positions whose value the past decides
  for (int i = 0; i < 200; ++i) {
    Position<WallGame> position = position_after(game, game.max_plies() - 4 - i % 4, random);
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
    const WallGame game = wall::make_game(variant);
    const Solver<WallGame> solver(game, Position<WallGame>(game), {});
    Random random(3);
    for (int i = 0; i < 200; ++i) {
      const Position<WallGame> position = position_after(game, i % 14, random);
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
  const WallGame game = wall::make_game("quoridor:5x5,walls=2");
  const Solver<WallGame> whole(game, Position<WallGame>(game), {});
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const Position<WallGame> position = position_after(game, 2 + i % 8, random);
    const Solver<WallGame> part(game, position, {.mebibytes = 16, .keep_all = false});
    EXPECT_TRUE(whole.covers(position));
    ASSERT_TRUE(part.covers(position));
    expect_equal(part.solution(position), whole.solution(position));
    if (position.state.horizontal.any() || position.state.vertical.any()) {
      EXPECT_FALSE(part.covers(Position<WallGame>(game)));
    }
  }
}

// With repetition=2 every position is drawn if it comes again, so that the configuration is solved anew for both
// players to move, which takes the scores behind the walls of either.
TEST(Solver, CoversNoPositionWhoseWallsItForgot) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=2,repetition=2");
  Position<WallGame> position = wall::play(game, "b5 a1v a5 a4h");
  ASSERT_EQ(position.state.walls_left[0], 2);
  const Solver<WallGame> whole(game, position, {});
  const Solver<WallGame> part(game, position, {.keep_all = false});
  expect_equal(part.solution(position), whole.solution(position));
  position = wall::play(game, "b5 a1v a5 a4h c4h");
  EXPECT_FALSE(part.covers(position));
  ASSERT_TRUE(whole.covers(position));
  const Solver<WallGame> later(game, position, {.keep_all = false});
  expect_equal(later.solution(position), whole.solution(position));
}

struct Known {
  const char* variant;
  int winner;  // 0, 1
  int plies;
};

// Published results: player two wins 3x3 with any number of walls, and 5x5 with 0 to 4 (scripts/check_solved has the
// slow ones). The numbers of plies are this solver's; those on 3x3 are the full tree's as well.
TEST(Solver, ConfirmsThePublishedResults) {
  for (const Known& known : {Known{"quoridor:3x3,walls=0", 1, 4}, Known{"quoridor:3x3,walls=1", 1, 8},
                             Known{"quoridor:3x3,walls=2", 1, 12}, Known{"quoridor:3x3,walls=3", 1, 12},
                             Known{"quoridor:3x3,walls=31", 1, 12}, Known{"quoridor:5x5,walls=0", 1, 8},
                             Known{"quoridor:5x5,walls=1", 1, 12}, Known{"quoridor:5x5,walls=2", 1, 18}}) {
    const WallGame game = wall::make_game(known.variant);
    const Position<WallGame> start(game);
    const Solution solution = Solver<WallGame>(game, start, {.keep_all = false}).solution(start);
    EXPECT_EQ(solution.value, known.winner == 0 ? Proof::win : Proof::loss) << known.variant;
    EXPECT_EQ(solution.distance, known.plies) << known.variant;
  }
}

// Nobody can force a win in some positions on 5x5: the value is a draw whatever the cap, and best play never ends.
TEST(Solver, FindsPositionsNobodyCanWin) {
  const WallGame game = wall::make_game("quoridor:5x5,walls=2");
  const Solver<WallGame> solver(game, Position<WallGame>(game), {});
  EXPECT_GT(solver.report().drawn, 0u);
  EXPECT_LT(solver.report().drawn, solver.report().positions / 1000);
  EXPECT_LT(solver.report().longest, game.max_plies());
}

class TinyGame : public testing::TestWithParam<const char*> {};

// The solver of any game, where the past decides what is legal, against looking at everything.
TEST_P(TinyGame, HasTheValuesOfTheFullTree) {
  std::visit(
      [&]<Game G>(const G& game) {
        const TreeSolver<G> solver(game, Position<G>(game), {});
        FullTree<G> tree(game, false);
        Random random(13);
        int compared = 0;
        for (int i = 0; i < 3000 && compared < 30; ++i) {
          Position<G> position = position_after(game, game.max_plies() - 3 - i % 3, random);
          if (game.ply(position.state) < game.max_plies() - 6) continue;  // its tree is too big
          ++compared;
          const Solution solved = solver.solution(position);
          const Solution searched = tree.solution(position);
          EXPECT_EQ(solved.value, searched.value);
          ASSERT_EQ(solved.actions.size(), searched.actions.size());
          for (std::size_t a = 0; a < solved.actions.size(); ++a) {
            EXPECT_EQ(solved.actions[a].value, searched.actions[a].value);
          }
        }
        EXPECT_EQ(compared, 30);
      },
      parse_game(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Solver, TinyGame,
                         testing::Values("quoridor:3x3,walls=1,max_plies=9",
                                         "quoridor:3x3,walls=0,repetition=2,max_plies=10", "go:2x2,komi=0.5",
                                         "go:2x2,chinese,komi=0.5", "go:2x2,japanese,komi=0",
                                         "go:2x2,ko=situational,komi=1", "go:3x2,komi=1.5,max_plies=9",
                                         "go:1x4,leaflet,komi=2", "go:3x2,leaflet-strict,komi=0,max_plies=10"));

// Values of whole boards by area with positional superko and suicide: 0 on 1x1, 1x2 and 2x3, 3 on 1x3, 4 on 1x4, 1 on
// 2x2. A board is worth `points` to black: he wins with half a point less of komi, white with half a point more.
TEST(Solver, FindsTheValuesOfTinyGoBoards) {
  const auto value = [](const std::string& size, double komi) {
    const go::GoGame game = std::get<go::GoGame>(parse_game(fmt::format("go:{},komi={}", size, komi)));
    const Position<go::GoGame> start(game);
    return Solver<go::GoGame>(game, start, {}).solution(start).value;
  };
  for (const auto& [size, points] : {std::pair("1x1", 0), std::pair("1x2", 0), std::pair("1x3", 3), std::pair("1x4", 4),
                                     std::pair("2x2", 1), std::pair("3x2", 0)}) {
    EXPECT_EQ(value(size, points - 0.5), Proof::win) << size;
    EXPECT_EQ(value(size, points), Proof::draw) << size;
    EXPECT_EQ(value(size, points + 0.5), Proof::loss) << size;
  }
}

TEST(Solver, SaysWhatItCannotSolve) {
  const auto solve = [](const char* variant, const SolveLimits& limits) {
    const WallGame game = wall::make_game(variant);
    return error_of([&] { Solver<WallGame>(game, Position<WallGame>(game), limits); });
  };
  EXPECT_THAT(solve("quoridor", {}), HasSubstr("quoridor is too big to solve in 2048 MiB"));
  EXPECT_THAT(solve("quoridor4:5x5,walls=1", {}), HasSubstr("only games of two players"));
  const auto solve_go = [](const char* variant) {
    const auto game = std::get<go::GoGame>(parse_game(variant));
    return error_of([&] { Solver<go::GoGame>(game, Position<go::GoGame>(game), {.mebibytes = 1}); });
  };
  EXPECT_THAT(solve_go("go:4x4"), HasSubstr("too big to solve in 1 MiB"));
  EXPECT_THAT(solve_go("go:5x5"), HasSubstr("too big to solve: 26 actions are legal"));
  EXPECT_THAT(solve("blockade:5x5,walls=1", {}), HasSubstr("cannot be solved"));
  const WallGame game = wall::make_game("quoridor:3x3,walls=1");
  Position<WallGame> later(game);
  later.apply(game, *game.parse_action(later.state, later.history, "a1h"));
  const Solver<WallGame> solver(game, later, {});
  EXPECT_THAT(error_of([&] { solver.solution(Position<WallGame>(game)); }), HasSubstr("does not follow"));
}

// How far a solver of the game came that was not to go on.
template <Game G>
std::string reached(const G& game) {
  try {
    Solver<G>(game, Position<G>(game), {.keep_going = [] { return false; }});
  } catch (const SolveStopped& stopped) {
    EXPECT_EQ(stopped.what(), "stopped before " + game.name() + " was solved");
    return stopped.reached();
  }
  return "its end";
}

TEST(Solver, SaysHowFarItCameWhereItIsStopped) {
  EXPECT_EQ(reached(wall::make_game("quoridor:5x5,walls=2")), "its walls can stand in too many ways");
  EXPECT_EQ(reached(std::get<go::GoGame>(parse_game("go:3x3"))), "4096 positions were looked at");
}

// A match asks for one position after the other: what is remembered of the earlier ones never uses up the memory.
TEST(Solver, TheMemoryIsForOnePositionAtATime) {
  const auto game = std::get<go::GoGame>(parse_game("go:1x5"));
  const Solver<go::GoGame> solver(game, Position<go::GoGame>(game), {.mebibytes = 1});
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Position<go::GoGame> position = position_after(game, 1 + i % 8, random);
    const Solution solution = solver.solution(position);
    EXPECT_LE(solver.report().bytes, std::size_t{1} << 20);
    if (i % 10 == 0) expect_equal(solution, Solver<go::GoGame>(game, position, {}).solution(position));
  }
}

}  // namespace
}  // namespace koridor
