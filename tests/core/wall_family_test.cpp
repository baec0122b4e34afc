// The rules of Pinko Pallino and Blockade by example, and the parameters that make them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/wall_test_tools.h"

namespace koridor::wall {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

// Puts a pawn of a player of two; keeps them in order.
void put_pawns(State& state, int player, std::string_view one, std::string_view other) {
  const Square first = square_named(one);
  const Square second = square_named(other);
  state.pawns[static_cast<std::size_t>(player * kMaxPawns)] = std::min(first, second);
  state.pawns[static_cast<std::size_t>(player * kMaxPawns + 1)] = std::max(first, second);
}

TEST(PinkoPallino, PawnsStepInEightDirections) {
  const WallGame game = make_game("pinko-pallino");
  const State first = game.initial_state();
  EXPECT_EQ(first.pawns[0], make_square(10, 5));
  EXPECT_EQ(first.walls_left[0], 21);
  EXPECT_THAT(pawn_names(game, first), UnorderedElementsAre("e11", "g11", "e10", "f10", "g10"));
  EXPECT_EQ(game.distance(first, 0), 10);
}

TEST(PinkoPallino, ADiagonalStepNeedsOneOrBothWaysRoundItsCorner) {
  for (const bool both : {false, true}) {
    const WallGame game =
        make_game(both ? "pinko-pallino:5x5,walls=5,diagonal_step=both" : "pinko-pallino:5x5,walls=5");
    State state = game.initial_state();
    put_pawn(state, 0, "c3");
    state.vertical.set(square_named("c2"));  // right of c2 and c3: closes c3-d3 and c2-d2, but not d3-d2
    const std::set<std::string> names = pawn_names(game, state);
    EXPECT_THAT(names, Not(Contains("d3")));
    EXPECT_THAT(names, Not(Contains("d2")));  // both ways cross it
    EXPECT_EQ(names.contains("d4"), !both);   // round c4 only
    EXPECT_THAT(names, IsSupersetOf({"b2", "b3", "b4", "c2", "c4"}));
  }
}

TEST(PinkoPallino, NoJumpsUnlessAskedFor) {
  for (const bool jumps : {false, true}) {
    const WallGame game = make_game(jumps ? "pinko-pallino:5x5,jumps=true" : "pinko-pallino:5x5");
    State state = game.initial_state();
    put_pawn(state, 0, "c4");
    put_pawn(state, 1, "c3");
    const std::set<std::string> names = pawn_names(game, state);
    EXPECT_FALSE(names.contains("c3"));
    EXPECT_EQ(names.contains("c2"), jumps);
    EXPECT_THAT(names, IsSupersetOf({"b3", "d3"}));  // diagonal steps, whoever stands on the corner
  }
}

TEST(PinkoPallino, WhoCanDoNothingPasses) {
  const WallGame game = make_game("pinko-pallino:3x4,walls=2");
  State state = game.initial_state();
  state.vertical.set(square_named("a1"));
  state.vertical.set(square_named("a3"));
  state.walls_left = {0, 0, 2, 0};
  put_pawn(state, 0, "a4");
  put_pawn(state, 1, "a3");
  EXPECT_THAT(legal_names(game, state), ElementsAre("--"));
  State quoridor = state;
  EXPECT_THAT(legal_names(make_game("quoridor:3x4,walls=2"), quoridor), ElementsAre("a2"));  // jumps
}

TEST(Blockade, StartsInTheNotationOfTheProject) {
  const WallGame game = make_game("blockade");
  const State state = game.initial_state();
  EXPECT_EQ(state.pawns[0], make_square(10, 3));  // d11 and h11: d4 and h4 counted from player one's side
  EXPECT_EQ(state.pawns[1], make_square(10, 7));
  EXPECT_EQ(state.pawns[kMaxPawns], make_square(3, 3));
  EXPECT_EQ(state.pawns[kMaxPawns + 1], make_square(3, 7));
  EXPECT_EQ(game.num_actions(), 617);
  EXPECT_THAT(legal_names(game, state), Contains("d11-d9"));
  const auto action = game.parse_action(state, History(), "h11-g10");
  ASSERT_TRUE(action);
  EXPECT_EQ(game.print_action(state, *action, Notation::modern), "h4-g5");
}

TEST(Blockade, APawnMovesOneOrTwoStepsInAnyCombination) {
  const WallGame game = make_game("blockade");
  const std::set<std::string> names = legal_names(game, game.initial_state());
  for (const char* to : {"d10", "d9", "d12", "d13", "b11", "c11", "e11", "f11", "c10", "e10", "c12", "e12"}) {
    EXPECT_TRUE(names.contains(std::string("d11-") + to)) << to;
  }
  EXPECT_EQ(names.size(), 24u);  // and no wall before the move

  State state = game.initial_state();
  state.horizontal.set(make_square(9, 3));  // above d11 and e11
  const std::set<std::string> walled = legal_names(game, state);
  EXPECT_FALSE(walled.contains("d11-d10"));
  EXPECT_FALSE(walled.contains("d11-d9"));
  EXPECT_TRUE(walled.contains("d11-c10"));   // round by c11
  EXPECT_FALSE(walled.contains("d11-e10"));  // both ways are closed
}

TEST(Blockade, APawnMayPassOverAPawnButNotStopOnIt) {
  const WallGame game = make_game("blockade");
  State state = game.initial_state();
  put_pawns(state, 0, "d9", "e9");
  put_pawns(state, 1, "d8", "h4");
  const std::set<std::string> names = legal_names(game, state);
  EXPECT_FALSE(names.contains("d9-d8"));  // an opponent
  EXPECT_FALSE(names.contains("d9-e9"));  // an own pawn
  EXPECT_THAT(names, IsSupersetOf({"d9-d7", "d9-f9", "d9-c8", "d9-e8"}));
  state.vertical.set(make_square(7, 2));  // c8 has walls to d8 and d9 in the east
  EXPECT_FALSE(legal_names(game, state).contains("d9-c8"));
}

TEST(Blockade, AMoveThenAWallOfTheSamePlayer) {
  const WallGame game = make_game("blockade");
  Position position = play(game, "d11-d9");
  EXPECT_EQ(position.state.player, 0);
  EXPECT_EQ(position.state.phase, 1);
  for (const std::string& name : legal_names(game, position.state)) {
    EXPECT_TRUE(name.back() == 'h' || name.back() == 'v') << name;
  }
  position.apply(game, *game.parse_action(position.state, position.history, "a1v"));
  EXPECT_EQ(position.state.player, 1);
  EXPECT_EQ(position.state.phase, 0);
  EXPECT_EQ(position.state.walls_left[0], 9);
  EXPECT_EQ(position.state.walls_left[1], 8);
  EXPECT_EQ(position.state.ply, 2);
}

TEST(Blockade, WallsOfAKindThatIsUsedUpCannotBePlaced) {
  const WallGame game = make_game("blockade");
  State state = play(game, "d11-d9").state;
  state.walls_left[0] = 0;
  const std::set<std::string> names = legal_names(game, state);
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) EXPECT_EQ(name.back(), 'v') << name;
}

TEST(Blockade, WithNoWallLeftTheTurnEndsAfterTheMove) {
  const WallGame game = make_game("blockade");
  Position position(game);
  position.state.walls_left[0] = position.state.walls_left[1] = 0;
  position.apply(game, *game.parse_action(position.state, position.history, "d11-d9"));
  EXPECT_EQ(position.state.player, 1);
  EXPECT_EQ(position.state.phase, 0);
  EXPECT_EQ(position.state.passes, 0);
}

TEST(Blockade, PawnsOfAPlayerAreInterchangeable) {
  const WallGame game = make_game("blockade:walls=0");
  const State one = play(game, "d11-e11 d4-d3 e11-g11 d3-d4 h11-f11").state;
  const State other = play(game, "h11-h12 d4-d3 h12-g11 d3-d4 d11-f11").state;
  EXPECT_EQ(one.pawns, other.pawns);
  EXPECT_EQ(game.repetition_key(one), game.repetition_key(other));
  State same_time = other;
  same_time.ply = one.ply;
  same_time.reversible_plies = one.reversible_plies;
  EXPECT_EQ(one, same_time);
  EXPECT_EQ(game.key(one), game.key(same_time));
}

TEST(Blockade, AGoalSquareHeldByAnOpponentMayBeEnteredToWin) {
  const WallGame game = make_game("blockade");
  State state = game.initial_state();
  put_pawns(state, 0, "d6", "h11");
  EXPECT_THAT(legal_names(game, state), Contains("d6-d4"));
  const Action action = game.winning_action(state);
  EXPECT_EQ(game.print_action(state, action), "d6-d4");
  game.apply(state, action);
  EXPECT_EQ(game.outcome(state, History()).winner, 0);
  EXPECT_EQ(state.phase, 0);  // the game is over: no wall

  // Where both pawns must arrive, a held square is closed.
  const WallGame both = make_game("blockade:win_pawns=2");
  State later = both.initial_state();
  put_pawns(later, 0, "d6", "h11");
  EXPECT_THAT(legal_names(both, later), Not(Contains("d6-d4")));
  put_pawns(later, 0, "d4", "h6");
  put_pawns(later, 1, "a1", "b1");
  EXPECT_FALSE(both.outcome(later, History()).over());
  EXPECT_EQ(both.print_action(later, both.winning_action(later)), "h6-h4");
  EXPECT_EQ(both.distance(later, 0), 2);
}

TEST(Blockade, NoWallMayCutOffAnyPawnFromAnyStartSquare) {
  const WallGame game = make_game("blockade");
  State state = play(game, "d11-d9").state;
  // h4 walled in on three sides and a half: its last side may not be closed, though d4 is open to all.
  state.vertical.set(make_square(2, 6));    // left of h3 and h4
  state.vertical.set(make_square(2, 7));    // right of them
  state.horizontal.set(make_square(1, 7));  // above h3 and i3
  state.walls_left = {9, 9, 8, 7};
  const std::set<std::string> names = legal_names(game, state);
  EXPECT_FALSE(names.contains("h4h"));
  EXPECT_FALSE(names.contains("g4h"));
  EXPECT_TRUE(names.contains("i4h"));
  EXPECT_TRUE(names.contains("d4h"));
}

TEST(Blockade, ASmallBoardHasItsStartsWhereTheyAreOnTheLargeOne) {
  const WallGame game = make_game("blockade:7x8,walls=3");
  const State state = game.initial_state();
  EXPECT_EQ(state.pawns[0], square_named("c6"));
  EXPECT_EQ(state.pawns[1], square_named("e6"));
  EXPECT_EQ(state.pawns[kMaxPawns], square_named("c3"));
  EXPECT_EQ(state.pawns[kMaxPawns + 1], square_named("e3"));
}

TEST(Blockade, WhoCannotMovePassesTheWholeTurn) {
  const WallGame game = make_game("blockade:4x5,walls=2");
  State state = game.initial_state();
  // All four pawns in a row walled off from the rest. (In play a way out would have to stay; here nobody can move.)
  state.horizontal.set(square_named("a4"));
  state.horizontal.set(square_named("c4"));
  put_pawns(state, 0, "a5", "b5");
  put_pawns(state, 1, "c5", "d5");
  EXPECT_THAT(legal_names(game, state), ElementsAre("--"));
  game.apply(state, *game.parse_action(state, History(), "--"));
  EXPECT_EQ(state.player, 1);
  EXPECT_EQ(state.phase, 0);
  EXPECT_FALSE(game.outcome(state, History()).over());
  game.apply(state, game.geometry().pass());
  EXPECT_EQ(game.outcome(state, History()).kind, Outcome::Kind::draw);
}

TEST(Blockade, BoardInPlainText) {
  const WallGame game = make_game("blockade:5x6,walls=2");
  const Position position = play(game, "b5-c4 a1v");
  EXPECT_EQ(game.print_board(position.state, Notation::standard, false),
            "      a   b   c   d   e\n"
            "    ╭───────────────────╮\n"
            "  1 │ · ┃ ·   ·   ·   · │   1 south  2h 1v walls   3 to go\n"
            "    │   ┃               │   2 north  2h 2v walls   3 to go  to move\n"
            "  2 │ · ┃ 2   ·   2   · │   ply 2 of 120\n"
            "    │                   │\n"
            "  3 │ ·   ·   ·   ·   · │\n"
            "    │                   │\n"
            "  4 │ ·   ·   1   ·   · │\n"
            "    │                   │\n"
            "  5 │ ·   ·   ·   1   · │\n"
            "    │                   │\n"
            "  6 │ ·   ·   ·   ·   · │\n"
            "    ╰───────────────────╯\n");
  const State owing = play(game, "b5-c4").state;
  EXPECT_THAT(game.print_board(owing, Notation::standard, false), testing::HasSubstr("to place a wall"));
}

TEST(Blockade, TheNetworkSeesBothPawnsStocksAndThePhase) {
  const WallGame game = make_game("blockade:5x6,walls=2");
  const EncodingShape shape = game.encoding({});
  EXPECT_EQ(shape,
            (EncodingShape{.planes = 15, .rows = 6, .columns = 5, .scalars = 15, .policy_planes = 4, .players = 2}));
  const State state = play(game, "b5-c4 a1v b2-c3").state;  // player two owes a wall: the board turned half round
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  game.encode(state, {}, 0, planes.data(), scalars.data());
  const auto at = [&](int plane, int row, int column) {
    return planes[static_cast<std::size_t>((plane * 6 + row) * 5 + column)];
  };
  EXPECT_EQ(at(1, 3, 2), 1.0f);                // c3 in the middle row
  EXPECT_EQ(at(2, 4, 1), 1.0f);                // d2 comes to b5
  EXPECT_EQ(at(3, 1, 1), 1.0f);                // d5 comes to b2
  EXPECT_EQ(at(4, 2, 2), 1.0f);                // c4
  EXPECT_EQ(at(5, 1, 1) + at(5, 1, 3), 2.0f);  // own goals: b2 and d2 as seen
  EXPECT_EQ(scalars[0], 0.2f);                 // own horizontal walls
  EXPECT_EQ(scalars[3], 0.1f);                 // the other's vertical ones
  EXPECT_EQ(scalars[10], 1.0f);                // phase
  // The policy's first plane is of the pawn that comes first in the view.
  State moving = state;
  moving.phase = 0;
  const auto place = [&](std::string_view name) {
    return game.policy_index(moving, 0, *game.parse_action(moving, History(), name)) / 30;
  };
  EXPECT_EQ(place("c3-c2"), 0);
  EXPECT_EQ(place("d2-d1"), 1);
}

}  // namespace
}  // namespace koridor::wall
