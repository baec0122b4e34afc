// The UCI-like loop: its words, searches with every limit, pondering, options, and lines that are wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <vector>

#include "cli/engine/uci_words.h"
#include "core/base/error.h"
#include "core/search/clock.h"
#include "tests/cli/engine_support.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

cli::GoRequest go_of(const std::string& line) {
  return cli::parse_go(cli::uci_words(line));
}

// The word behind the first "bestmove".
std::string best_move(const std::string& said) {
  std::istringstream words(said);
  for (std::string word; words >> word;) {
    if (word == "bestmove" && words >> word) return word;
  }
  return "";
}

TEST(UciWords, GoSaysItsLimits) {
  EXPECT_FALSE(go_of("").limited());
  EXPECT_EQ(go_of("nodes 12 movetime 250").visits, 12);
  EXPECT_EQ(go_of("nodes 12 movetime 250").move_seconds, 0.25);
  const cli::GoRequest timed = go_of("ponder wtime 60000 btime -5 winc 600 movestogo 7 searchmoves a1 b2");
  EXPECT_TRUE(timed.ponder);
  EXPECT_EQ(timed.times[0], 60);
  EXPECT_EQ(timed.times[1], -0.005);
  EXPECT_EQ(timed.increments[0], 0.6);
  EXPECT_EQ(timed.moves_to_go, 7);
  EXPECT_THROW(go_of("nodes"), UserError);
  EXPECT_THROW(go_of("nodes 0"), UserError);
  EXPECT_THROW(go_of("wtime 1e9"), UserError);
  EXPECT_THROW(go_of("nodes 99999999999999999999"), UserError);
}

TEST(UciWords, OptionsMayHaveSpaces) {
  const cli::OptionRequest option = cli::parse_option(cli::uci_words("name Multi PV value 3 4"));
  EXPECT_EQ(option.name, "multi pv");
  EXPECT_EQ(option.value, "3 4");
  EXPECT_EQ(cli::parse_option(cli::uci_words("name clear")).value, "");
  EXPECT_THROW(cli::parse_option(cli::uci_words("Ponder value 3")), UserError);
}

TEST(UciWords, ScoresAreDifferencesInElo) {
  EXPECT_EQ(cli::score_of(0.5), 0);
  EXPECT_EQ(cli::score_of(10.0 / 11.0), 400);
  EXPECT_EQ(cli::score_of(1.0 / 11.0), -400);
  EXPECT_EQ(cli::score_of(1), 2400);
  EXPECT_EQ(cli::score_of(0), -2400);
}

TEST(Uci, IntroducesItselfAndItsOptions) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3");
  EXPECT_THAT(uci.say("uci"), AllOf(StartsWith("id name Koridor"), HasSubstr("\noption name Threads type spin"),
                                    HasSubstr("\noption name UCI_Variant type string default quoridor:5x5,walls=3\n"),
                                    HasSubstr("\nuciok\n")));
  EXPECT_EQ(uci.say("isready"), "readyok\n");
  EXPECT_EQ(uci.say(" \t "), "");
}

TEST(Uci, FindsTheMoveOfTheSameSearchInProcess) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  Session session(game, {.thinker = {.model = test::tiny_model(game), .name = "tiny"}});
  std::string position = "position startpos moves";
  for (int ply = 0; ply < 6; ++ply) {
    uci.say(ply == 0 ? "position startpos" : position);
    const std::string move = best_move(uci.say("go nodes 20"));
    EXPECT_EQ(move, session.search({.visits = 20}).best_text);
    ASSERT_FALSE(session.play(move));
    position += " " + move;
  }
}

TEST(Uci, InfoNamesTheSearchsFigures) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("setoption name MultiPV value 3");
  uci.say("position startpos");
  EXPECT_THAT(uci.say("go nodes 40"),
              AllOf(HasSubstr("info depth "), HasSubstr(" multipv 1 score cp "), HasSubstr(" multipv 3 score cp "),
                    Not(HasSubstr(" multipv 4 ")), HasSubstr(" nodes 40 nps "), HasSubstr(" pv "),
                    HasSubstr("\nbestmove "), HasSubstr(" ponder ")));
}

TEST(Uci, AWinIsAMate) {
  test::EngineUnderTest uci("quoridor:5x5,walls=0", "uci");
  uci.say("position startpos moves c4 b1 c3 a1 c2 a2");
  EXPECT_THAT(uci.say("go nodes 64"), AllOf(HasSubstr(" score mate 1 "), HasSubstr("bestmove c1")));
  // The other side loses in as many, whatever it does.
  uci.say("position startpos moves c4 b1 c3 a1 c2");
  EXPECT_THAT(uci.say("go nodes 64"), HasSubstr(" score mate -1 "));
  uci.say("position startpos moves c4 b1 c3 a1 c2 a2 c1");
  EXPECT_EQ(uci.say("go nodes 64"), "info string the game is over\nbestmove (none)\n");
}

TEST(Uci, AMoveAndItsWallAreOneTurnOfAMate) {
  test::EngineUnderTest uci("blockade:4x8,walls=1", "uci");
  uci.say("position startpos moves c6-c4 a3h");
  // A move and a wall, and the other side arrives.
  EXPECT_THAT(uci.say("go nodes 20000"), HasSubstr(" score mate -1 "));
}

// In Blockade a turn is two actions of one player, a move and a wall.
TEST(UciWords, OwnTurnsAreCountedByWhoMoves) {
  const auto turns = [](const char* variant, const std::vector<std::string>& line, int plies) {
    const AnyGame any = parse_game(variant);
    const auto& game = std::get<wall::WallGame>(any);
    Session session(any);
    std::vector<Action> actions;
    for (const std::string& move : line) {
      EXPECT_FALSE(session.play(move)) << move;
      actions.push_back(session.moves().back().action);
    }
    return cli::own_turns(game, Position<wall::WallGame>(game), actions, plies);
  };
  const char* const blockade = "blockade:4x8,walls=1";
  const std::vector<std::string> line = {"c6-c4", "a3h", "c3-c5", "b4v", "c4-c3"};
  EXPECT_EQ(turns(blockade, line, 5), 2);
  EXPECT_EQ(turns(blockade, line, 1), 1);
  EXPECT_EQ(turns(blockade, line, 0), 0);
  EXPECT_EQ(turns(blockade, {"c6-c4"}, 4), 1);
  EXPECT_EQ(turns(blockade, {"c6-c4"}, 5), 2);
  EXPECT_EQ(turns(blockade, {"c6-c4", "a3h", "c3-c5", "b4v"}, 7), 2);
  EXPECT_EQ(turns("blockade:4x8,walls=0", {}, 5), 3) << "nobody has a wall";
  EXPECT_EQ(turns("quoridor:5x5,walls=3", {"c4"}, 5), 3);
  EXPECT_EQ(turns("quoridor4:5x5,walls=1", {}, 6), 2);
}

TEST(Uci, PositionsGoOnAndBack) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  const auto moves = [&] {
    std::vector<std::string> texts = uci.engine().session().move_texts();
    texts.resize(static_cast<std::size_t>(uci.engine().session().ply()));
    return texts;
  };
  uci.say("position startpos moves c4 c2 b2h");
  EXPECT_THAT(moves(), ElementsAre("c4", "c2", "b2h"));
  uci.say("position startpos moves c4 c2");
  EXPECT_THAT(moves(), ElementsAre("c4", "c2"));
  uci.say("position startpos moves c4 b1 d4");
  EXPECT_THAT(moves(), ElementsAre("c4", "b1", "d4"));
  uci.say("ucinewgame");
  EXPECT_TRUE(moves().empty());
}

TEST(Uci, AnotherGameForgetsTheLast) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos");
  uci.say("go nodes 40");
  uci.say("ucinewgame");
  uci.say("position startpos");
  EXPECT_THAT(uci.say("go nodes 10"), HasSubstr(" nodes 10 "));
}

TEST(Uci, AWrongPositionIsNotSearched) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  EXPECT_THAT(uci.say("position startpos moves c4 c4"), StartsWith("info string position: move 2, \"c4\": "));
  EXPECT_THAT(uci.say("go nodes 5"),
              AllOf(StartsWith("info string there is no position"), HasSubstr("bestmove (none)")));
  EXPECT_THAT(uci.say("position fen 8/8"), StartsWith("info string position: write position startpos"));
  EXPECT_EQ(uci.say("position startpos moves c4"), "");
  EXPECT_THAT(uci.say("go nodes 5"), HasSubstr("bestmove "));
  EXPECT_THAT(uci.say("go nodes x"),
              AllOf(StartsWith("info string go nodes: \"x\" is no whole number"), HasSubstr("bestmove (none)")));
  EXPECT_EQ(uci.say("fly \x01 me"), "info string unknown command: \"fly\"\n");
  EXPECT_THAT(uci.say("setoption name Speed value 3"),
              AllOf(StartsWith("info string unknown option: \"speed\""), HasSubstr("Threads, Hash, MultiPV")));
}

TEST(Uci, OnlyStopEndsAnEndlessSearch) {
  test::EngineUnderTest uci("quoridor:5x5,walls=0", "uci");
  uci.say("position startpos moves c4 b1 c3 a1 c2 a2");  // proven at once
  uci.begin("go infinite");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  uci.begin("isready");
  EXPECT_THAT(uci.wait_for("readyok"), Not(HasSubstr("bestmove")));
  const auto begin = std::chrono::steady_clock::now();
  uci.begin("stop");
  EXPECT_THAT(uci.wait_for("bestmove"), HasSubstr("bestmove c1"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(uci.say("stop"), "");
}

// As a script sends its lines, which waits for nothing.
TEST(Uci, ASearchWithAnEndComesToItBeforeAnythingChanges) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  for (const char* line :
       {"position startpos moves c4", "setoption name MultiPV value 2", "ucinewgame", "go nodes 5"}) {
    uci.say("ucinewgame");
    uci.say("position startpos");
    uci.begin("go nodes 300");
    uci.begin(line);
    EXPECT_THAT(uci.take(), AllOf(HasSubstr(" nodes 300 "), HasSubstr("bestmove "))) << line;
  }
}

TEST(Uci, WhatIsWrongEndsNoSearch) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos");
  const std::vector<std::string> wrong = {"setoption name Speed value 3",
                                          "setoption name Threads value x",
                                          "setoption name Level value god",
                                          "setoption name UCI_Variant value blockade",
                                          "setoption Hash",
                                          "ponderhit",
                                          "go movetime",
                                          "position fen 8/8"};
  uci.begin("go infinite");
  for (const std::string& line : wrong) {
    uci.begin(line);
    EXPECT_TRUE(uci.engine().searching()) << line;
  }
  uci.begin("uci");
  uci.begin("d");
  EXPECT_THAT(uci.wait_for("uciok"), Not(HasSubstr("bestmove")));
  EXPECT_NE(best_move(uci.say("stop")), "(none)");
  EXPECT_EQ(best_move(uci.say("go nodes 5")), "(none)") << "there is no position";
  uci.say("ucinewgame");
  uci.say("position startpos");
  uci.begin("go nodes 400");
  for (const std::string& line : wrong) uci.begin(line);
  const std::string said = uci.say("stop");
  EXPECT_THAT(said, HasSubstr(" nodes 400 "));
  EXPECT_NE(best_move(said), "(none)") << "answers come in the order of their questions";
  EXPECT_THAT(said, HasSubstr("\nbestmove (none)\n"));
}

TEST(Uci, AnotherPositionEndsAnEndlessSearch) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos");
  for (const char* search : {"go infinite", "go ponder nodes 5"}) {
    uci.begin(search);
    uci.begin("position startpos moves c4");
    EXPECT_FALSE(uci.engine().searching()) << search;
    EXPECT_THAT(uci.take(), HasSubstr("bestmove ")) << search;
  }
}

TEST(Uci, PonderingIsAnsweredAfterTheHit) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos moves c4 c2");
  uci.begin("go ponder nodes 30");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_THAT(uci.take(), Not(HasSubstr("bestmove")));
  const std::string said = uci.say("ponderhit");
  EXPECT_EQ(said.find("bestmove"), said.rfind("bestmove"));
  EXPECT_THAT(said, HasSubstr("bestmove "));
  EXPECT_EQ(uci.say("ponderhit"), "info string ponderhit: nothing is pondered\n");
  uci.begin("go ponder nodes 30");
  EXPECT_THAT(uci.say("stop"), HasSubstr("bestmove "));
}

TEST(Uci, OptionsCount) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("setoption name Notation value modern");
  EXPECT_EQ(uci.say("position startpos moves c2 c4"), "");
  uci.say("setoption name UCI_Variant value quoridor:7x7,walls=2");
  EXPECT_EQ(uci.engine().session().variant(), "quoridor:7x7,walls=2");
  EXPECT_EQ(uci.say("position startpos moves d2 d6"), "");
  uci.say("setoption name Notation value qtp");  // white is first, and its base line is the row 1
  EXPECT_EQ(uci.say("position startpos moves d2 d6 a2h"), "");
  EXPECT_EQ(uci.engine().session().move_texts().back(), "a1h");
  EXPECT_THAT(uci.say("setoption name Notation value greek"), StartsWith("info string "));
  EXPECT_THAT(uci.say("setoption name UCI_Variant value go:5x5"), StartsWith("info string "));
  uci.say("setoption name Level value beginner");
  EXPECT_TRUE(uci.engine().settings().policy_only);
  const std::string drawn = uci.say("go movetime 5000");
  EXPECT_THAT(drawn, HasSubstr("bestmove "));
  EXPECT_THAT(drawn, HasSubstr(" nodes 1 ")) << "at once, without a search";
  // A search that says its visits is as long as it says, and its best action is played.
  const std::string searched = uci.say("go nodes 50");
  EXPECT_THAT(searched, HasSubstr(" nodes 50 "));
  const std::size_t line = searched.rfind(" pv ");
  const std::string best = searched.substr(line + 4, searched.find_first_of(" \n", line + 4) - line - 4);
  EXPECT_THAT(searched, HasSubstr("bestmove " + best));
  EXPECT_THAT(uci.say("uci"), HasSubstr("option name Level type combo default beginner var beginner"));
}

TEST(Uci, OptionsThatCannotBeChangeNothing) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  const int before = uci.engine().settings().thinker.threads;
  ThinkerSettings thinker = uci.engine().settings().thinker;
  thinker.evaluation.precision = "no such";
  EXPECT_THROW(uci.engine().renew(thinker), UserError);
  EXPECT_EQ(uci.engine().settings().thinker.threads, before);
  EXPECT_NE(uci.engine().settings().thinker.evaluation.precision, "no such");
  EXPECT_EQ(uci.say("setoption name Hash value 64"), "");
  EXPECT_THAT(uci.say("go nodes 4"), HasSubstr("bestmove "));
}

// Nobody knows what a line that was cut would have said: its `go` is answered, and its `position` leaves none.
TEST(Uci, LinesThatAreCutAreAnswered) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  EXPECT_TRUE(uci.protocol().line({.text = "go nodes 4", .cut = true}));
  EXPECT_THAT(uci.take(), AllOf(StartsWith("info string a line has at most"), HasSubstr("bestmove (none)\n")));
  EXPECT_TRUE(uci.protocol().line({.text = "position startpos moves", .cut = true}));
  EXPECT_THAT(uci.take(), StartsWith("info string a line has at most"));
  EXPECT_THAT(uci.say("go nodes 4"), HasSubstr("bestmove (none)"));
  uci.say("position startpos");
  EXPECT_THAT(uci.say("go nodes 4"), Not(HasSubstr("(none)")));
}

// What the command line asked for is what "full" goes back to, and so is the level of the command line. Front ends send
// such defaults back.
TEST(Uci, TheLevelsAreThoseOfTheCommandLine) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3");
  cli::EngineSettings& settings = uci.engine().settings();
  settings.own = {.level = "easy", .visits = 7, .temperature = 1};
  settings.set_level("easy");
  EXPECT_THAT(uci.say("uci"), HasSubstr("option name Level type combo default easy "));
  uci.say("setoption name Level value hard");
  EXPECT_EQ(settings.visits, 4);
  EXPECT_EQ(settings.temperature, 0);
  for (const std::string level : {"full", "easy"}) {
    uci.say("setoption name Level value " + level);
    EXPECT_EQ(settings.level, level);
    EXPECT_EQ(settings.visits, 7) << level;
    EXPECT_EQ(settings.temperature, 1) << level;
    EXPECT_FALSE(settings.policy_only) << level;
  }
  settings.own = {};
  uci.say("setoption name Level value easy");
  EXPECT_TRUE(settings.policy_only);
  uci.say("setoption name Level value full");
  EXPECT_EQ(settings.visits, 0) << "as many as there is time for";
}

// Else a front end that shows an analysis, or ponders, has no weak levels.
TEST(Uci, ALevelIsNoStrongerForWhatWasSearchedBefore) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("setoption name Level value hard");
  uci.say("position startpos moves c4");
  const std::string fresh = best_move(uci.say("go"));
  uci.say("go nodes 300");
  const std::string said = uci.say("go");
  EXPECT_THAT(said, HasSubstr(" nodes 4 "));
  EXPECT_EQ(best_move(said), fresh);
  uci.say("setoption name Level value full");
  uci.say("go nodes 300");
  EXPECT_THAT(uci.say("go nodes 5"), HasSubstr(" nodes 309 ")) << "at full strength the tree is kept";
}

TEST(Uci, NamesTheLegalActions) {
  test::EngineUnderTest uci("quoridor:3x3,walls=0", "uci");
  EXPECT_EQ(uci.say("legal"), "legal b2 a3 c3\n");
  uci.say("position startpos moves b2 a1 b1");
  EXPECT_EQ(uci.say("legal"), "legal\n") << "the game is over";
}

TEST(Uci, BeginsFromAPositionThatWasSetUp) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  const std::string start = R"(position start {"mover":1, "pawns":[{"seat":0,"at":[2,2]},{"seat":1,"at":[1,2]}]})";
  EXPECT_EQ(uci.say(start + " moves c4"), "");
  EXPECT_THAT(uci.engine().session().move_texts(), ElementsAre("c4"));
  EXPECT_THAT(uci.say("go nodes 4"), HasSubstr("bestmove "));
  EXPECT_EQ(uci.say(start), "");
  EXPECT_EQ(uci.engine().session().seat_to_move(), 1);
  const std::string legal = uci.say("legal");
  uci.say("setoption name Threads value 2");
  EXPECT_EQ(uci.say("legal"), legal) << "a new session begins there, too";
  EXPECT_EQ(uci.say("position startpos moves c4"), "");
  EXPECT_EQ(uci.engine().session().seat_to_move(), 1);
  EXPECT_NE(uci.say("legal"), legal);
  EXPECT_THAT(uci.say(R"(position start {"mover":7})"),
              HasSubstr("info string position: the starting position: \"mover\" is a whole number from 0 to 1"));
  EXPECT_THAT(uci.say("position start {"), HasSubstr("it is an object"));
  EXPECT_THAT(uci.say("go"), HasSubstr("bestmove (none)"));
  EXPECT_THAT(uci.say("position here"), HasSubstr("write position startpos or position start {...}"));
}

// As many lines as moves were searched, however little the network thought of them.
TEST(Uci, EverySearchedMoveIsALine) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("setoption name MultiPV value 100");
  uci.say("position startpos");
  const std::string said = uci.say("go nodes 40");
  const Analysis* found = uci.engine().session().analysis();
  ASSERT_NE(found, nullptr);
  const auto known = std::ranges::count_if(found->candidates, &Candidate::known);
  EXPECT_GT(known, 4);
  EXPECT_THAT(said, AllOf(HasSubstr(fmt::format(" multipv {} ", known)),
                          Not(HasSubstr(fmt::format(" multipv {} ", known + 1)))));
}

TEST(Uci, ResignsWhereThatIsAsked) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.engine().settings().resign = ResignRule{.value = 1, .turns = 2, .play_on = 0};  // every position looks lost
  uci.say("ucinewgame");
  uci.say("position startpos");
  EXPECT_NE(best_move(uci.say("go nodes 4")), "resign");
  uci.begin("go infinite");
  EXPECT_NE(best_move(uci.say("stop")), "resign") << "no turn of the game";
  uci.say("position startpos moves c4 c2");
  EXPECT_EQ(best_move(uci.say("go nodes 4")), "resign");
  uci.engine().settings().resign->play_on = 1;  // every game is played on
  uci.say("ucinewgame");
  uci.say("position startpos");
  for (int turn = 0; turn < 4; ++turn) EXPECT_NE(best_move(uci.say("go nodes 4")), "resign");
}

// A controller that waits for so long counts the time by its own clock: the answer must be there before.
TEST(Uci, AnswersWithinMovetime) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos");
  const std::string said = uci.say("go movetime 1000");
  const auto time = said.rfind(" time ");
  ASSERT_NE(time, std::string::npos) << said;
  EXPECT_LT(std::stoi(said.substr(time + 6)), 1000) << "a twentieth of a second is left for the way";
  uci.say("setoption name Move Overhead value 900");
  const std::string sooner = uci.say("go movetime 1000");
  EXPECT_LT(std::stoi(sooner.substr(sooner.rfind(" time ") + 6)), 600) << "never less than half of the time";
  EXPECT_NE(best_move(uci.say("go movetime 50 wtime 600000")), "");
  uci.engine().settings().seconds = 0.01;
  const std::string short_one = uci.say("go movetime 600000");
  EXPECT_LT(std::stoi(short_one.substr(short_one.rfind(" time ") + 6)), 300'000) << "--seconds stays an upper limit";
}

// As `--clock` gives it, where `go` has no limit of its own.
TEST(Uci, TheEnginesOwnClockRunsDownUntilTheNextGame) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.engine().clocks().set(parse_time_control("2"));
  const auto left = [&](int seat) { return uci.engine().clocks().of(seat).main_left(); };
  uci.say("position startpos");
  EXPECT_NE(best_move(uci.say("go nodes 40")), "");
  EXPECT_EQ(left(0), 2) << "a search of so many visits is not by that clock";
  EXPECT_NE(best_move(uci.say("go")), "");
  EXPECT_LT(left(0), 2);
  EXPECT_EQ(left(1), 2);
  uci.say("position startpos moves c4 c2");
  EXPECT_LT(left(0), 2);
  uci.say("position startpos moves b5");
  EXPECT_EQ(left(0), 2) << "another game";
  uci.say("position startpos");
  uci.say("go");
  uci.say("ucinewgame");
  EXPECT_EQ(left(0), 2);
}

TEST(Uci, TheEndOfInputFinishesWhatWasAskedFor) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3", "uci");
  uci.say("position startpos");
  uci.begin("go nodes 500");
  uci.protocol().end();
  EXPECT_THAT(uci.take(), HasSubstr(" nodes 500 "));
  uci.begin("go infinite");
  uci.protocol().end();
  EXPECT_THAT(uci.take(), HasSubstr("bestmove "));
}

TEST(EngineProtocols, TheFirstLineTellsWallProtocols) {
  EXPECT_EQ(cli::protocol_of("uci", "wall").name, "uci");
  EXPECT_EQ(cli::protocol_of("isready", "wall").name, "uci");
  EXPECT_EQ(cli::protocol_of("list_commands", "wall").name, "qtp");
  EXPECT_EQ(cli::protocol_of("uci", "go").name, "gtp");
  EXPECT_THROW(cli::find_protocol("uci", "go"), UserError);
}

}  // namespace
}  // namespace koridor
