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
  uci.say("position startpos moves c4 b1 c3 a1 c2 a2 c1");
  EXPECT_EQ(uci.say("go nodes 64"), "info string the game is over\nbestmove (none)\n");
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
  EXPECT_THAT(uci.say("setoption name Speed value 3"), StartsWith("info string unknown option: \"speed\""));
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
  EXPECT_THAT(uci.say("go movetime 5000"), HasSubstr("bestmove "));  // at once, without a search
  EXPECT_THAT(uci.say("uci"), HasSubstr("option name Level type combo default beginner var beginner"));
}

// What the command line asked for is what "full" goes back to.
TEST(Uci, TheFullLevelIsThatOfTheCommandLine) {
  test::EngineUnderTest uci("quoridor:5x5,walls=3");
  uci.engine().settings().visits = 7;
  EXPECT_THAT(uci.say("uci"), HasSubstr("option name Level type combo default full "));
  uci.say("setoption name Level value hard");
  EXPECT_EQ(uci.engine().settings().visits, 4);
  uci.say("setoption name Level value full");
  EXPECT_EQ(uci.engine().settings().visits, 7);
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
