// QTP: the commands as its programs send them, the names of walls and players, every wall game.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "tests/cli/engine_support.h"

namespace koridor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(WallWords, WallsOfQtpAreNamedByTheUpperLeftSquare) {
  const WallWords qtp{.naming = Naming::qtp};
  EXPECT_EQ(qtp.write("e3h"), "e4h");
  EXPECT_EQ(qtp.read("e4h"), "e3h");
  EXPECT_EQ(qtp.read("E4 horizontal"), "e3horizontal");
  EXPECT_EQ(qtp.read("a0v"), "a0v");  // never a wall of another row
  EXPECT_EQ(qtp.write("e8"), "e8");
  EXPECT_EQ(qtp.write("d4-d6"), "d4-d6");
  EXPECT_EQ(qtp.write("--"), "--");
  EXPECT_EQ(WallWords{}.write("e3h"), "e3h");
  EXPECT_EQ(qtp.write_walls("e3h crosses the wall e3v; did you mean d3h?"),
            "e4h crosses the wall e4v; did you mean d4h?");
  EXPECT_EQ(qtp.write_walls("e3 is diagonal to d4-d6, \"e3\" 9x9."), "e3 is diagonal to d4-d6, \"e3\" 9x9.");
  EXPECT_EQ(WallWords{}.write_walls("e3h stands there already"), "e3h stands there already");
  // The row 1 is white's base line whoever begins.
  EXPECT_EQ(qtp.notation(), Notation::standard);
  EXPECT_EQ((WallWords{.naming = Naming::qtp, .first = Colour::white}).notation(), Notation::modern);
}

TEST(WallWords, PlayersAreColoursOrSeats) {
  const WallWords words;
  EXPECT_EQ(words.seat("Black", 2), 0);
  EXPECT_EQ(words.seat("w", 2), 1);
  EXPECT_EQ(words.seat("2", 2), 1);
  EXPECT_EQ(words.player(1, 2), "white");
  EXPECT_EQ(words.player(2, 4), "3");
  EXPECT_EQ(words.seat("4", 4), 3);
  EXPECT_THROW(words.seat("black", 4), UserError);
  EXPECT_THROW(words.seat("3", 2), UserError);
  EXPECT_THROW(words.seat("red", 2), UserError);
  EXPECT_EQ((WallWords{.first = Colour::white}).seat("white", 2), 0);
}

TEST(Qtp, PlaysAGameAsItsRefereeSendsIt) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  Session* session = &qtp.engine().session();
  EXPECT_EQ(qtp.say("boardsize 5"), "=\n\n");
  EXPECT_EQ(qtp.say("clear_board"), "=\n\n");
  EXPECT_EQ(qtp.say("walls 2"), "=\n\n");
  session = &qtp.engine().session();
  EXPECT_EQ(session->variant(), "quoridor:5x5,walls=2");
  EXPECT_EQ(qtp.say("playmove black C4"), "=\n\n");
  EXPECT_EQ(qtp.say("playmove white c2"), "=\n\n");
  EXPECT_EQ(qtp.say("playwall black B5 horizontal"), "=\n\n");
  EXPECT_EQ(qtp.say("playwall white c2v"), "=\n\n");
  EXPECT_THAT(session->move_texts(), ElementsAre("c4", "c2", "b4h", "c1v"));
  EXPECT_EQ(qtp.say("playwall black B5 vertical"), "? illegal move: b5v crosses the wall b5h; did you mean b4v?\n\n");
  EXPECT_EQ(qtp.say("playmove white c3"), "? illegal move: black is to move\n\n");
  EXPECT_EQ(qtp.say("playwall black c3"), "? syntax error: playwall COLOUR SQUARE ORIENTATION\n\n");
  EXPECT_EQ(qtp.say("3 winner"), "=3 false\n\n");
  EXPECT_EQ(qtp.say("undo 3"), "=\n\n");
  EXPECT_EQ(qtp.say("undo"), "=\n\n");
  EXPECT_EQ(qtp.say("undo"), "? cannot undo\n\n");
  EXPECT_THAT(qtp.say("showboard"), StartsWith("=\n"));
}

TEST(Qtp, SaysWhyAnActionIsNone) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  EXPECT_THAT(qtp.say("playwall black c4 sideways"),
              StartsWith("? illegal move: \"c4sideways\" is not an action of quoridor"));
  EXPECT_THAT(qtp.say("playmove black z9"),
              StartsWith("? illegal move: z9 is off the board, which has the columns a to e"));
  EXPECT_THAT(qtp.say("playwall black e3 h"),
              StartsWith("? illegal move: e3h is off the board, whose walls are a2h to d5v"));
  EXPECT_THAT(qtp.say("play black c3"), StartsWith("? illegal move: c3 is too far"));
}

TEST(Qtp, SaysWhoIsToMove) {
  test::EngineUnderTest qtp("blockade:5x8,walls=1", "qtp");
  EXPECT_EQ(qtp.say("mover"), "= black\n\n");
  qtp.say("genmove white");
  EXPECT_EQ(qtp.say("mover"), "= white\n\n") << "a wall follows";
  qtp.say("genmove white");
  EXPECT_EQ(qtp.say("mover"), "= black\n\n");
}

TEST(Qtp, NamesTheLegalActions) {
  test::EngineUnderTest qtp("quoridor:3x3,walls=1", "qtp");
  const std::string legal = qtp.say("all_legal");
  EXPECT_THAT(legal, StartsWith("= "));
  EXPECT_EQ(std::ranges::count(legal, '\n'), 3 + 8 + 1) << "moves, walls and the end: " << legal;
  std::istringstream lines(legal.substr(2));
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    test::EngineUnderTest other("quoridor:3x3,walls=1", "qtp");
    EXPECT_EQ(other.say("play black " + line), "=\n\n") << line;
  }
}

TEST(Qtp, GenmovePlaysWhatItAnswers) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=0", "qtp", 64);
  for (const char* line : {"play black c4", "play white b1", "play black c3", "play white a1", "play black c2"}) {
    EXPECT_EQ(qtp.say(line), "=\n\n");
  }
  EXPECT_EQ(qtp.say("play white a2"), "=\n\n");
  EXPECT_EQ(qtp.say("genmove black"), "= C1\n\n");  // it wins
  EXPECT_EQ(qtp.say("winner"), "= true black\n\n");
  EXPECT_EQ(qtp.say("mover"), "= none\n\n");
  EXPECT_EQ(qtp.say("genmove white"), "? illegal move: the game is over\n\n");
}

TEST(Qtp, AWallIsAnsweredInTwoWords) {
  test::EngineUnderTest qtp("blockade:7x9,walls=2", "qtp");
  EXPECT_THAT(qtp.say("genmove black"), MatchesRegex("= [A-G][1-9]-[A-G][1-9]\n\n"));
  const std::string wall = qtp.say("genmove black");
  EXPECT_THAT(wall, MatchesRegex("= [A-F][2-9] (horizontal|vertical)\n\n"));
  // It reads its own answer.
  EXPECT_EQ(qtp.say("undo"), "=\n\n");
  EXPECT_EQ(qtp.say("playwall black " + wall.substr(2)), "=\n\n");
}

TEST(Qtp, WhoeverIsNamedFirstMovesFirst) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  EXPECT_EQ(qtp.say("playmove white C2"), "=\n\n");  // white's base line is the row 1
  EXPECT_EQ(qtp.engine().session().moves()[0].seat, 0);
  EXPECT_EQ(qtp.say("playmove black C4"), "=\n\n");
  EXPECT_EQ(qtp.say("clear_board"), "=\n\n");
  EXPECT_EQ(qtp.say("playmove black C4"), "=\n\n");
}

TEST(Qtp, ARefusedLineSaysNothingOfWhoMovesFirst) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  EXPECT_THAT(qtp.say("playmove white zz"), StartsWith("? "));
  EXPECT_EQ(qtp.say("play 1 c4"), "=\n\n");
  EXPECT_EQ(qtp.say("play white c2"), "=\n\n");
}

TEST(Qtp, AnotherGameForgetsTheLast) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  qtp.say("genmove black");
  qtp.say("clear_board");
  EXPECT_EQ(qtp.engine().session().search({.visits = 8}).kept, 0);
}

TEST(Qtp, FourPlayersSitBySeat) {
  test::EngineUnderTest qtp("quoridor4:5x5,walls=1", "qtp");
  EXPECT_EQ(qtp.say("notation standard"), "=\n\n");
  EXPECT_EQ(qtp.say("play 1 c4"), "=\n\n");
  EXPECT_EQ(qtp.say("play 2 b3"), "=\n\n");
  EXPECT_EQ(qtp.say("mover"), "= 3\n\n");
  EXPECT_EQ(qtp.say("play 4 d3"), "? illegal move: 3 is to move\n\n");
  EXPECT_THAT(qtp.say("play black c2"), StartsWith("? syntax error: \"black\" is no player"));
  EXPECT_THAT(qtp.say("genmove 3"), StartsWith("= "));
  EXPECT_EQ(qtp.engine().session().ply(), 3);
}

TEST(Qtp, OtherBoardsAndGames) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  EXPECT_EQ(qtp.say("boardsize 7 6"), "=\n\n");
  EXPECT_EQ(qtp.say("variant"), "= quoridor:7x6,walls=3\n\n");
  EXPECT_THAT(qtp.say("boardsize 2"), StartsWith("? unacceptable size: "));
  EXPECT_THAT(qtp.say("walls 99"), StartsWith("? unacceptable number of walls: "));
  EXPECT_THAT(qtp.say("walls -1"), StartsWith("? syntax error: \"-1\" is no number of walls"));
  EXPECT_EQ(qtp.say("variant quoridor:5x5,walls=1"), "=\n\n");
  EXPECT_EQ(qtp.say("variant go:5x5"), "? \"go:5x5\" is no wall game\n\n");
  EXPECT_EQ(qtp.say("variant"), "= quoridor:5x5,walls=1\n\n");
  EXPECT_EQ(qtp.say("notation modern"), "=\n\n");
  EXPECT_EQ(qtp.say("playmove black c2"), "=\n\n");  // player one stands on c1
  EXPECT_THAT(qtp.say("play white c9"), HasSubstr("illegal move: c9 is off the board"));
  EXPECT_THAT(qtp.say("notation glendenning"), StartsWith("? "));
}

TEST(Qtp, ResignsWhereThatIsAsked) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  qtp.engine().settings().resign = ResignRule{.value = 1, .turns = 2, .play_on = 0};  // every position looks lost
  qtp.say("clear_board");
  EXPECT_NE(qtp.say("genmove black"), "= resign\n\n");
  EXPECT_NE(qtp.say("genmove white"), "= resign\n\n");
  EXPECT_EQ(qtp.say("genmove black"), "= resign\n\n");
}

TEST(Qtp, TurnsThatWereTakenBackDoNotCountForResigning) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  qtp.engine().settings().resign = ResignRule{.value = 1, .turns = 2, .play_on = 0};
  qtp.say("clear_board");
  for (int again = 0; again < 3; ++again) {
    EXPECT_NE(qtp.say("genmove black"), "= resign\n\n");
    EXPECT_EQ(qtp.say("undo"), "=\n\n");
  }
}

// Whoever is named first moves first, with the time that was told of its colour.
TEST(Qtp, ClocksGoWithTheColours) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  cli::EngineClocks& clocks = qtp.engine().clocks();
  qtp.say("time_settings 1000 0 0");
  qtp.say("time_left white 50 0");
  EXPECT_THAT(qtp.say("play white z9"), StartsWith("? illegal"));
  EXPECT_EQ(clocks.of(1).main_left(), 50) << "a line that is refused changes nothing";
  EXPECT_EQ(qtp.say("play white c2"), "=\n\n");
  EXPECT_EQ(clocks.of(0).main_left(), 50);
  EXPECT_EQ(clocks.of(1).main_left(), 1000);
}

TEST(Qtp, ClocksAreSetAndUsedUp) {
  test::EngineUnderTest qtp("quoridor:5x5,walls=3", "qtp");
  cli::EngineClocks& clocks = qtp.engine().clocks();
  EXPECT_EQ(qtp.say("time_settings 100 0 0"), "=\n\n");
  EXPECT_EQ(clocks.of(0).main_left(), 100);
  EXPECT_THAT(qtp.say("genmove black"), StartsWith("= "));
  EXPECT_LT(clocks.of(0).main_left(), 100);
  EXPECT_EQ(clocks.of(1).main_left(), 100);
  EXPECT_EQ(qtp.say("time_left white 7.5 0"), "=\n\n");
  EXPECT_EQ(clocks.of(1).main_left(), 7.5);
  EXPECT_EQ(qtp.say("time_settings 0 5 3"), "=\n\n");
  EXPECT_TRUE(clocks.of(1).in_byo_yomi());
  EXPECT_EQ(qtp.say("time_left white 4 2"), "=\n\n");
  EXPECT_EQ(clocks.of(1).period_left(), 4);
  EXPECT_EQ(clocks.of(1).stones_left(), 2);
  EXPECT_EQ(qtp.say("time_settings 0 5 0"), "=\n\n");  // no limit
  EXPECT_TRUE(clocks.of(0).unlimited());
  EXPECT_THAT(qtp.say("time_left white nan 0"), StartsWith("? syntax error"));
}

}  // namespace
}  // namespace koridor
