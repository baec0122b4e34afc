// The rules of Quoridor by example: each sentence of the rules that a picture can show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/wall_test_tools.h"

namespace koridor::wall {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

TEST(WallRules, PlayersStartInTheMiddleOfTheirBaseLines) {
  const WallGame game = make_game("quoridor");
  const State state = game.initial_state();
  EXPECT_EQ(state.pawns[0], square_named("e9"));
  EXPECT_EQ(state.pawns[kMaxPawns], square_named("e1"));
  EXPECT_THAT(pawn_names(game, state), ElementsAre("d9", "e8", "f9"));
  EXPECT_EQ(game.distance(state, 0), 8);
  EXPECT_EQ(game.distance(state, 1), 8);
}

TEST(WallRules, AnEvenSideStartsLeftOfTheMiddleAsItsOwnerSeesIt) {
  const State two = make_game("quoridor:8x6").initial_state();
  EXPECT_EQ(two.pawns[0], square_named("d6"));
  EXPECT_EQ(two.pawns[kMaxPawns], square_named("e1"));
  const State four = make_game("quoridor4:8x8").initial_state();
  EXPECT_EQ(four.pawns[0 * kMaxPawns], square_named("d8"));  // south
  EXPECT_EQ(four.pawns[1 * kMaxPawns], square_named("a4"));  // west looks east: its left is up
  EXPECT_EQ(four.pawns[2 * kMaxPawns], square_named("e1"));  // north
  EXPECT_EQ(four.pawns[3 * kMaxPawns], square_named("h5"));  // east
}

TEST(WallRules, StraightJumpOverAPawn) {
  const WallGame game = make_game("quoridor");
  EXPECT_THAT(pawn_names(game, play(game, "e8 e2 e7 e3 e6 e4 e5").state), ElementsAre("d4", "e3", "e6", "f4"));
}

TEST(WallRules, AWallBehindThePawnOpensTheDiagonals) {
  const WallGame game = make_game("quoridor");
  const std::string face_to_face = "e8 e2 e7 e3 e6 e4 e5 ";
  EXPECT_THAT(pawn_names(game, play(game, face_to_face + "e5h a1h").state), ElementsAre("d4", "d5", "e3", "f4", "f5"));
  // A wall beside the other pawn closes that diagonal, and the step beside the own.
  EXPECT_THAT(pawn_names(game, play(game, face_to_face + "e5h e4v").state), ElementsAre("d4", "d5", "e3"));
  // A wall beside the mover alone does not: the way is over the other pawn.
  EXPECT_THAT(pawn_names(game, play(game, face_to_face + "e5h e3v").state), ElementsAre("d4", "d5", "e3", "f5"));
}

TEST(WallRules, TheEdgeBehindThePawnOpensTheDiagonals) {
  const WallGame game = make_game("quoridor:5x5,walls=3");
  const Position position = play(game, "c4 a1h c3 a3h c2 d4h");
  EXPECT_THAT(pawn_names(game, position.state), ElementsAre("b1", "b2", "c3", "d1", "d2"));
}

TEST(WallRules, NoJumpThroughAWallBetweenThePawns) {
  const WallGame game = make_game("quoridor");
  EXPECT_THAT(pawn_names(game, play(game, "e8 e2 e7 e3 e6 e4 e5 e4h a1h").state), ElementsAre("d4", "e3", "f4"));
}

TEST(WallRules, TwoPawnsInARowAreNotJumpedOver) {
  for (const bool diagonal : {true, false}) {
    const WallGame game = make_game(diagonal ? "quoridor4" : "quoridor4:third_pawn_diagonal=false");
    State state = game.initial_state();
    put_pawn(state, 0, "e6");
    put_pawn(state, 1, "e5");
    put_pawn(state, 2, "e4");
    if (diagonal) {
      EXPECT_THAT(pawn_names(game, state), ElementsAre("d5", "d6", "e7", "f5", "f6"));
    } else {
      EXPECT_THAT(pawn_names(game, state), ElementsAre("d6", "e7", "f6"));
    }
    put_pawn(state, 3, "d5");  // an occupied diagonal stays closed
    EXPECT_THAT(pawn_names(game, state), Not(Contains("d5")));
  }
}

TEST(WallRules, AWallBehindOpensTheDiagonalsForFourWhateverTheThirdPawn) {
  const WallGame game = make_game("quoridor4:third_pawn_diagonal=false");
  State state = game.initial_state();
  put_pawn(state, 0, "e6");
  put_pawn(state, 1, "e5");
  put_pawn(state, 2, "e4");
  state.horizontal.set(square_named("e4"));  // between e5 and the pawn on e4
  EXPECT_THAT(pawn_names(game, state), ElementsAre("d5", "d6", "e7", "f5", "f6"));
}

TEST(WallRules, WallsNeitherOverlapNorCross) {
  const WallGame game = make_game("quoridor");
  const std::set<std::string> after_h = legal_names(game, play(game, "e3h").state);
  for (const char* name : {"d3h", "e3h", "f3h", "e3v"}) EXPECT_FALSE(after_h.contains(name)) << name;
  EXPECT_THAT(after_h, IsSupersetOf({"c3h", "g3h", "e2v", "e4v", "d3v", "f3v", "e2h", "e4h"}));
  const std::set<std::string> after_v = legal_names(game, play(game, "e3v").state);
  for (const char* name : {"e2v", "e3v", "e4v", "e3h"}) EXPECT_FALSE(after_v.contains(name)) << name;
  EXPECT_THAT(after_v, IsSupersetOf({"e1v", "e5v", "d3h", "f3h", "e2h", "e4h"}));
}

TEST(WallRules, AWallMayNotTakeTheLastWay) {
  const WallGame game = make_game("quoridor:5x5,walls=3");
  // Row 5 is walled off but for column e.
  EXPECT_FALSE(legal_names(game, play(game, "a4h c4h").state).contains("d4v"));
  // Once player one is behind the gap the same wall takes nobody's way (player two still reaches e5).
  EXPECT_TRUE(legal_names(game, play(game, "a4h c4h d5 c2 e5 c1").state).contains("d4v"));
}

TEST(WallRules, PawnsAreNoObstaclesToAWay) {
  // The only way for player one leads through e5, where player two stands: still a way.
  const WallGame game = make_game("quoridor:5x5,walls=3");
  State state = play(game, "a4h c4h").state;
  put_pawn(state, 1, "e4");
  EXPECT_EQ(game.distance(state, 0), 2 + 4);
  EXPECT_TRUE(legal_names(game, state).contains("a1h"));
}

TEST(WallRules, NoWallLeftMeansThePawnMoves) {
  const WallGame game = make_game("quoridor:5x5,walls=1");
  const State state = play(game, "a1h a3h").state;
  EXPECT_THAT(legal_names(game, state), ElementsAre("b5", "c4", "d5"));
}

TEST(WallRules, TheFirstOnTheOppositeLineWins) {
  const WallGame game = make_game("quoridor:5x5,walls=0");
  const Position position = play(game, "c4 b1 c3 a1 c2 b1 c1");
  const Outcome outcome = game.outcome(position.state, position.history);
  EXPECT_EQ(outcome.kind, Outcome::Kind::win);
  EXPECT_EQ(outcome.winner, 0);
  EXPECT_EQ(outcome.values, (Values{1, 0, 0, 0}));
  EXPECT_GT(game.heuristic(position.state, 0), 100);
  EXPECT_LT(game.heuristic(position.state, 1), -100);
  EXPECT_EQ(game.auxiliary(position.state, 0), 0.0f);
  EXPECT_FLOAT_EQ(game.auxiliary(position.state, 1), 4.0f / 10.0f);
}

TEST(WallRules, EveryoneCrossesToTheOppositeLine) {
  const WallGame four = make_game("quoridor4");
  const State state = four.initial_state();
  for (int player = 0; player < 4; ++player) EXPECT_EQ(four.distance(state, player), 8);
  const WallGame three = make_game("quoridor4:players=3");
  EXPECT_EQ(three.initial_state().pawns[1 * kMaxPawns], square_named("a5"));
  EXPECT_EQ(three.initial_state().pawns[2 * kMaxPawns], square_named("e1"));
  EXPECT_EQ(three.players(), 3);

  const WallGame small = make_game("quoridor4:3x3,walls=0");
  const Position won = play(small, "a3 b2 a1 c1 b3 c2");
  const Outcome outcome = small.outcome(won.state, won.history);
  EXPECT_EQ(outcome.winner, 1);
  EXPECT_EQ(outcome.values, (Values{0, 1, 0, 0}));
}

TEST(WallRules, WhoCannotActPasses) {
  const WallGame game = make_game("quoridor4:3x3,walls=1,third_pawn_diagonal=false");
  State state = game.initial_state();
  state.vertical.set(square_named("a1"));
  state.walls_left = {1, 0, 1, 0, 0, 0, 1, 0};
  state.player = 2;
  state.ply = 10;
  put_pawn(state, 2, "a1");
  put_pawn(state, 0, "a2");
  put_pawn(state, 1, "a3");
  EXPECT_THAT(legal_names(game, state), ElementsAre("--"));
  EXPECT_EQ(game.count_legal_actions(state), 1);

  const auto pass = game.parse_action(state, History(), "--");
  ASSERT_TRUE(pass);
  State after = state;
  game.apply(after, *pass);
  EXPECT_EQ(after.ply, 11);
  EXPECT_EQ(after.player, 3);
  EXPECT_FALSE(game.outcome(after, History()).over());

  // Three have passed before: now every player in turn has.
  state.passes = 3;
  game.apply(state, *pass);
  const Outcome outcome = game.outcome(state, History());
  EXPECT_EQ(outcome.kind, Outcome::Kind::draw);
  EXPECT_EQ(outcome.values, (Values{0.25f, 0.25f, 0.25f, 0.25f}));
}

TEST(WallRules, NoPassWhileThereIsAnotherAction) {
  for (const Preset& preset : presets()) {
    const WallGame game(preset.rules);
    EXPECT_FALSE(legal_names(game, game.initial_state()).contains("--"));
  }
}

TEST(WallRules, ThePlyCapIsADraw) {
  const WallGame game = make_game("quoridor:5x5,walls=0,max_plies=6");
  const Position before = play(game, "c4 c2 b4 d2 c4");
  EXPECT_FALSE(game.outcome(before.state, before.history).over());
  const Position after = play(game, "c4 c2 b4 d2 c4 c2");
  const Outcome outcome = game.outcome(after.state, after.history);
  EXPECT_EQ(outcome.kind, Outcome::Kind::draw);
  EXPECT_EQ(outcome.values, (Values{0.5f, 0.5f, 0, 0}));
}

TEST(WallRules, AWinOnTheLastPlyIsAWin) {
  const WallGame game = make_game("quoridor:5x5,walls=0,max_plies=7");
  const Position position = play(game, "c4 b1 c3 a1 c2 b1 c1");
  EXPECT_EQ(position.state.ply, game.max_plies());
  EXPECT_EQ(game.outcome(position.state, position.history).winner, 0);
}

TEST(WallRules, RepetitionDrawsAtTheGivenOccurrence) {
  const std::string round = "c4 c2 c5 c1 ";  // back to the first position
  const WallGame game = make_game("quoridor:5x5,walls=1,repetition=3");
  const Position twice = play(game, round);
  EXPECT_FALSE(game.outcome(twice.state, twice.history).over());
  const Position thrice = play(game, round + round);
  EXPECT_EQ(game.outcome(thrice.state, thrice.history).kind, Outcome::Kind::draw);
  const WallGame off = make_game("quoridor:5x5,walls=1");
  const Position free = play(off, round + round + round);
  EXPECT_FALSE(off.outcome(free.state, free.history).over());
  // A wall makes all earlier positions impossible: counting starts afresh.
  const Position walled = play(game, "c4 c2 c5 c1 a1h c2 c4 c1 c5 c2 c4 c1");
  EXPECT_FALSE(game.outcome(walled.state, walled.history).over());
  const Position walled_thrice = play(game, "c4 c2 c5 c1 a1h c2 c4 c1 c5 c2 c4 c1 c5");
  EXPECT_EQ(game.outcome(walled_thrice.state, walled_thrice.history).kind, Outcome::Kind::draw);
}

TEST(WallRules, RepetitionAsksWhoIsToMove) {
  // The same squares with the other player to move are another position.
  const WallGame game = make_game("quoridor:5x5,walls=0");
  State state = game.initial_state();
  const std::uint64_t key = game.repetition_key(state);
  state.player = 1;
  EXPECT_NE(game.repetition_key(state), key);
  state.player = 0;
  state.ply = 4;
  EXPECT_EQ(game.repetition_key(state), key);  // but not the ply
  EXPECT_NE(game.key(state), game.key(game.initial_state()));
}

TEST(WallRules, HeuristicIsThePathDifference) {
  const WallGame game = make_game("quoridor");
  EXPECT_EQ(game.heuristic(game.initial_state(), 0), 0);
  const State state = play(game, "e8 e2 e7").state;
  EXPECT_EQ(game.heuristic(state, 0), 1);
  EXPECT_EQ(game.heuristic(state, 1), -1);
}

TEST(WallRules, UnpackRefusesWhatIsNoPosition) {
  const WallGame game = make_game("quoridor:5x5,walls=3");
  const auto refused = [&](auto&& spoil) {
    Position position = play(game, "a4h c4h d5 b1");
    spoil(position.state);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game.packed_size()));
    game.pack(position.state, bytes);
    return !game.unpack(bytes).has_value();
  };
  EXPECT_FALSE(refused([](State&) {}));
  EXPECT_TRUE(refused([](State& state) { state.pawns[0] = state.pawns[kMaxPawns]; }));  // two pawns on a square
  EXPECT_TRUE(refused([](State& state) { state.walls_left[0] = 3; }));                  // more walls than there are
  EXPECT_TRUE(refused([](State& state) { state.walls_left[0] = 200; }));
  const auto with_third_wall = [](State& state) {  // stock and ply as they should be after it
    state.walls_left[0] = 1;
    state.ply = 6;
  };
  EXPECT_FALSE(refused([&](State& state) {
    with_third_wall(state);
    state.horizontal.set(square_named("a1"));
  }));
  EXPECT_TRUE(refused([&](State& state) {  // overlaps a4h
    with_third_wall(state);
    state.horizontal.set(square_named("b4"));
  }));
  EXPECT_TRUE(refused([&](State& state) {  // crosses a4h
    with_third_wall(state);
    state.vertical.set(square_named("a4"));
  }));
  EXPECT_TRUE(refused([&](State& state) {  // closes player one in
    with_third_wall(state);
    state.vertical.set(square_named("d4"));
  }));
  EXPECT_TRUE(refused([](State& state) { state.ply = 101; }));             // past the cap
  EXPECT_TRUE(refused([](State& state) { state.reversible_plies = 4; }));  // walls need plies too
  EXPECT_TRUE(refused([](State& state) { state.passes = 3; }));
  EXPECT_TRUE(refused([](State& state) {  // both have arrived
    put_pawn(state, 0, "c1");
    put_pawn(state, 1, "e5");
  }));
}

}  // namespace
}  // namespace koridor::wall
