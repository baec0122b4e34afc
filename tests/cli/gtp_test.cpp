// GTP as a controller meets it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/command.h"
#include "tests/cli/engine_support.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// The text of an answer that must be one of success.
std::string result_of(const std::string& answer) {
  EXPECT_THAT(answer, AllOf(StartsWith("="), ::testing::EndsWith("\n\n")));
  const std::size_t begin = std::min(answer.find_first_not_of("= "), answer.size() - 2);
  return answer.substr(begin, answer.size() - 2 - begin);
}

class Gtp : public test::EngineUnderTest {
 public:
  explicit Gtp(const std::string& variant = "go:5x5,komi=0.5", int visits = 8)
      : EngineUnderTest(variant, "gtp", visits) {}
  // Says the lines, which must all succeed. Returns the last one's result.
  std::string all(const std::vector<std::string>& lines) {
    std::string result;
    for (const std::string& line : lines) result = result_of(say(line));
    return result;
  }
  std::vector<std::string> words(const std::string& line) {
    std::istringstream text(result_of(say(line)));
    return {std::istream_iterator<std::string>(text), {}};
  }
};

TEST(Gtp, KnowsEveryCommandThatFrontEndsAskFor) {
  Gtp gtp;
  for (const char* command : {"protocol_version",
                              "name",
                              "version",
                              "known_command",
                              "list_commands",
                              "quit",
                              "boardsize",
                              "clear_board",
                              "komi",
                              "play",
                              "genmove",
                              "time_settings",
                              "time_left",
                              "kgs-time_settings",
                              "undo",
                              "gg-undo",
                              "fixed_handicap",
                              "place_free_handicap",
                              "set_free_handicap",
                              "final_score",
                              "final_status_list",
                              "loadsgf",
                              "printsgf",
                              "reg_genmove",
                              "kgs-genmove_cleanup",
                              "gogui-analyze_commands",
                              "gogui-play_sequence",
                              "gogui-setup",
                              "gogui-setup_player",
                              "gogui-interrupt",
                              "showboard",
                              "kata-set-rules",
                              "kata-get-rules",
                              "lz-analyze",
                              "kata-analyze",
                              "lz-genmove_analyze",
                              "kata-genmove_analyze"}) {
    EXPECT_EQ(gtp.say(std::string("known_command ") + command), "= true\n\n") << command;
  }
}

TEST(Gtp, StonesArePlayedInAnyOrderAndTakenBack) {
  Gtp gtp;
  gtp.all({"play b c3", "play b d3", "play W pass"});
  EXPECT_THAT(gtp.say("play white C3"), StartsWith("? illegal move: "));
  EXPECT_THAT(gtp.say("play white Z3"), StartsWith("? syntax error: "));
  EXPECT_THAT(gtp.say("play red C4"), StartsWith("? syntax error: "));
  EXPECT_THAT(gtp.say("play white"), StartsWith("? syntax error: "));
  EXPECT_EQ(gtp.words("final_status_list alive"), (std::vector<std::string>{"C3", "D3"}));
  gtp.all({"undo", "undo"});
  EXPECT_EQ(gtp.say("is_legal b d3"), "= 1\n\n");
  EXPECT_EQ(gtp.say("is_legal b c3"), "= 0\n\n");
  EXPECT_EQ(gtp.say("gg-undo 2"), "? cannot undo\n\n");
  gtp.all({"gg-undo 1"});
  EXPECT_EQ(gtp.say("undo"), "? cannot undo\n\n");
  EXPECT_EQ(gtp.say("is_legal w c3"), "= 1\n\n");
}

TEST(Gtp, ASequenceIsPlayedWholeOrNotAtAll) {
  Gtp gtp;
  EXPECT_THAT(gtp.say("gogui-play_sequence b c3 w c3"), StartsWith("? illegal move: "));
  EXPECT_THAT(gtp.say("gogui-play_sequence b c3 w"), StartsWith("? syntax error: "));
  EXPECT_EQ(gtp.say("undo"), "? cannot undo\n\n");
  gtp.all({"gogui-play_sequence b c3 w d3 b d4", "gg-undo 3"});
}

TEST(Gtp, TheGameGoesOnAfterTwoPassesAndAfterItsLastPly) {
  Gtp gtp("go:3x3,max_plies=4,komi=0.5");
  gtp.all({"play b pass", "play w pass", "play b pass", "play w b2", "play b a1", "play w c1", "play b a3"});
  EXPECT_THAT(result_of(gtp.say("genmove w")), MatchesRegex("[ABC][123]|pass"));
}

// With black to move, too, the position then stands there for the third time, which is a draw under simple ko.
TEST(Gtp, AColourMayPassAsOftenAsItLikes) {
  Gtp gtp("go:5x5,japanese");
  gtp.all({"play w a1", "play b a2", "play b b1", "play b pass", "play b pass", "play b pass", "play b pass"});
  EXPECT_THAT(result_of(gtp.say("genmove b")), MatchesRegex("[A-E][1-5]|pass"));
}

TEST(Gtp, GenmovePlaysForEitherColourAndRegGenmoveOnlyNames) {
  Gtp gtp;
  const std::string named = gtp.all({"reg_genmove b"});
  EXPECT_EQ(gtp.all({"reg_genmove b"}), named);  // from anew, whatever was searched before
  EXPECT_EQ(gtp.say("undo"), "? cannot undo\n\n");
  EXPECT_EQ(Gtp().all({"genmove b"}), named);
  const std::string first = gtp.all({"genmove b"});
  EXPECT_THAT(gtp.all({"genmove b"}), Not(first));
  EXPECT_THAT(gtp.all({"genmove w"}), Not(first));
  gtp.all({"undo", "undo", "undo"});
  EXPECT_EQ(gtp.say("undo"), "? cannot undo\n\n");
}

// A net that knows nothing still finds the only move that captures, if that ends the game for good.
TEST(Gtp, AMoveOutOfTurnIsSearchedFromThatColoursView) {
  Gtp gtp("go:3x3,komi=0.5", 400);
  gtp.all({"gogui-setup b a2 b b2 b c2 b b3 b b1", "gogui-setup_player w"});
  EXPECT_EQ(gtp.all({"kata-set-rules tromp-taylor", "final_score"}), "B+8.5");
  // White to move has no legal point but passes; black, asked out of turn, wins by passing as well.
  EXPECT_EQ(gtp.all({"genmove w"}), "pass");
  EXPECT_EQ(gtp.all({"genmove b"}), "pass");
}

TEST(Gtp, HandicapsStandWhereTheyShould) {
  Gtp gtp("go:9x9");
  EXPECT_EQ(gtp.all({"fixed_handicap 4"}), "C3 G7 C7 G3");
  EXPECT_EQ(gtp.say("fixed_handicap 2"), "? board not empty\n\n");
  EXPECT_EQ(gtp.all({"clear_board", "set_free_handicap a1 b2 c3", "final_status_list alive"}), "C3\nB2\nA1");
  gtp.all({"clear_board"});
  EXPECT_THAT(gtp.say("set_free_handicap a1 a1"), StartsWith("? invalid vertices"));
  EXPECT_THAT(gtp.say("set_free_handicap a1"), StartsWith("? bad vertex list"));
  EXPECT_THAT(gtp.say("fixed_handicap 10"), StartsWith("? invalid number of stones"));
  gtp.all({"clear_board"});
  const std::vector<std::string> places = gtp.words("place_free_handicap 11");
  EXPECT_EQ(places.size(), 11u);
  EXPECT_EQ(std::set(places.begin(), places.end()).size(), 11u);
  EXPECT_EQ(gtp.words("final_status_list alive").size(), 11u);
  EXPECT_THAT(gtp.say("showboard"), HasSubstr("white to move"));
  // A board without fixed places.
  EXPECT_EQ(gtp.all({"boardsize 5", "clear_board"}), "");
  EXPECT_EQ(gtp.words("place_free_handicap 2").size(), 2u);
}

TEST(Gtp, SizesKomiAndRulesAreSetAndRefused) {
  Gtp gtp;
  gtp.all({"boardsize 7", "komi 6.5"});
  EXPECT_EQ(gtp.all({"query_boardsize"}), "7");
  EXPECT_EQ(gtp.all({"get_komi"}), "6.5");
  EXPECT_EQ(gtp.say("boardsize 20"), "? unacceptable size\n\n");
  EXPECT_THAT(gtp.say("komi many"), StartsWith("? "));
  EXPECT_THAT(gtp.say("komi 6.3"), StartsWith("? "));
  gtp.all({"play b d4", "komi -3", "undo"});  // a komi leaves the moves alone
  gtp.all({"rectangular_boardsize 4 6"});
  EXPECT_THAT(gtp.say("showboard"), HasSubstr("go:4x6"));
  gtp.all({"kata-set-rules japanese"});
  const auto rules = [&] { return nlohmann::json::parse(gtp.all({"kata-get-rules"})); };
  EXPECT_EQ(rules()["scoring"], "TERRITORY");
  EXPECT_EQ(rules()["ko"], "SIMPLE");
  EXPECT_EQ(gtp.all({"get_komi"}), "-3");
  gtp.all({R"(kata-set-rules {"ko": "SITUATIONAL", "scoring": "AREA", "tax": "NONE", "suicide": true})"});
  EXPECT_EQ(rules()["ko"], "SITUATIONAL");
  EXPECT_EQ(rules()["suicide"], true);
  gtp.all({"kata-set-rule suicide false", "kgs-rules chinese"});
  EXPECT_EQ(rules()["ko"], "POSITIONAL");
  for (const char* wrong : {"kata-set-rules nonsense", "kata-set-rules {\"ko\"", "kata-set-rules {\"ko\":\"NONE\"}",
                            "kata-set-rules {\"hasButton\":true}", "kata-set-rule tax ALL", "kata-set-rule colour red",
                            "kata-set-rules {\"ko\":{\"a\":[1]}}", "kata-set-rule friendlyPassOk perhaps"}) {
    EXPECT_THAT(gtp.say(wrong), StartsWith("? ")) << wrong;
  }
  // Nothing descends into what is nested beyond the stack.
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  EXPECT_THAT(gtp.say("kata-set-rules {\"ko\":" + deep + "}"), StartsWith("? ko: a rule is a word"));
  EXPECT_EQ(rules()["ko"], "POSITIONAL");
}

// Moves that the new rules forbid leave the old ones in force.
TEST(Gtp, RulesThatForbidAMovePlayedAreRefused) {
  Gtp gtp("go:3x3,komi=0.5");
  gtp.all({"play w a1", "play b a2", "play b b2", "play b c1", "play w b1"});  // suicide
  EXPECT_THAT(gtp.say("kata-set-rules chinese"), StartsWith("? move 5 is illegal under these rules"));
  EXPECT_THAT(gtp.say("kata-get-rules"), HasSubstr("\"suicide\":true"));
  gtp.all({"undo", "kata-set-rules chinese"});
}

// Black has all of columns A to D but A itself, in which a white stone is dead; white has columns E and F.
std::string with_a_dead_stone() {
  std::string line = "gogui-setup w a4";
  for (int row = 1; row <= 7; ++row) line += fmt::format(" b b{0} b c{0} b d{0} w e{0} w f{0}", row);
  return line;
}

TEST(Gtp, DeadStonesAreTakenOffBeforeTheCount) {
  Gtp gtp("go:7x7,komi=0.5");
  gtp.all({with_a_dead_stone()});
  EXPECT_EQ(gtp.words("final_status_list dead"), std::vector<std::string>{"A4"});
  EXPECT_EQ(gtp.words("final_status_list alive").size(), 35u);
  EXPECT_EQ(gtp.all({"final_score"}), "B+6.5");  // 28 to 21
  EXPECT_EQ(gtp.words("final_status_list black_territory").size(), 7u);
  EXPECT_EQ(gtp.words("final_status_list white_territory").size(), 7u);
  EXPECT_EQ(gtp.all({"final_status_list seki"}), "");
  EXPECT_EQ(gtp.all({"final_status a4"}), "dead");
  EXPECT_EQ(gtp.all({"final_status a5"}), "black_territory");
  EXPECT_THAT(gtp.say("final_status_list asleep"),
              HasSubstr("\"asleep\" is no status: final_status_list alive | dead"));
}

TEST(Gtp, RecordsAreWrittenAndReadAgain) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "game.sgf").string();
  Gtp gtp;
  gtp.all({"play b c3", "play b d3", "play w b2", "printsgf " + file});
  const std::string board = gtp.say("final_status_list alive");
  EXPECT_THAT(gtp.say("printsgf"), HasSubstr(";B[cc];W[];B[dc];W[bd]"));
  Gtp other("go:9x9");
  other.all({"loadsgf " + file});
  EXPECT_EQ(other.say("final_status_list alive"), board);
  EXPECT_EQ(other.all({"query_boardsize"}), "5");
  EXPECT_EQ(other.all({"get_komi"}), "0.5");
  EXPECT_EQ(other.all({"loadsgf " + file + " 2", "final_status_list alive"}), "C3");
  const std::string spaced = (folder / "a game.sgf").string();
  gtp.all({"printsgf " + spaced});
  EXPECT_EQ(other.all({"loadsgf " + spaced + " 2", "final_status_list alive"}), "C3");
  EXPECT_THAT(other.say("loadsgf no such.sgf"), HasSubstr("cannot read no such.sgf"));
  EXPECT_THAT(other.say("loadsgf /nowhere.sgf"), StartsWith("? cannot load file: cannot read /nowhere.sgf"));
  EXPECT_THAT(other.say("loadsgf"), StartsWith("? cannot load file: syntax error"));
  EXPECT_THAT(other.say("printsgf " + (folder / "typo" / "game.sgf").string()), HasSubstr("there is no folder"));
  EXPECT_FALSE(std::filesystem::exists(folder / "typo"));
}

// The board and who is to move, without what a record cannot say: how many moves came before, and that a set-up by hand
// was a handicap.
std::string board_of(Gtp& gtp) {
  return std::regex_replace(gtp.say("showboard"), std::regex(", ply [^\n]*|, [0-9]+ moves|\ngo:[^ ]* "), "");
}

// A pass more than was played ends no game in a record: it begins anew there.
TEST(Gtp, RecordsOfFreePlayMeanTheSameGame) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "game.sgf").string();
  for (const std::vector<std::string>& moves : {std::vector<std::string>{"b pass", "b c3", "w b2"},
                                                {"b c3", "b pass", "w b2"},
                                                {"b c3", "w pass", "b pass", "w d4", "b d3"},
                                                {"b c3", "b pass"},
                                                {"w pass", "w c3", "w d3"}}) {
    Gtp gtp;
    for (const std::string& move : moves) gtp.all({"play " + move});
    gtp.all({"printsgf " + file});
    Gtp other;
    other.all({"loadsgf " + file});
    EXPECT_EQ(board_of(other), board_of(gtp)) << read_file(file);
  }
  write_file_atomically(file, "(;SZ[5]RU[chinese];B[cc];W[];B[];W[bd];B[dd])");
  Gtp gtp;
  EXPECT_EQ(gtp.say("loadsgf " + file), "? cannot load file: " + file +
                                            ": the game is over after 3 moves and the record goes on; loadsgf FILE 4 "
                                            "ends there\n\n");
  gtp.all({"loadsgf " + file + " 4"});
}

TEST(Gtp, BlackMayMoveAfterAHandicap) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "game.sgf").string();
  write_file_atomically(file, "(;GM[1]SZ[9]RU[Chinese]KM[0.5]HA[2]AB[gc][cg])");
  Gtp gtp;
  gtp.all({"loadsgf " + file, "gogui-setup_player b", "play b e5", "printsgf " + file});
  Gtp other;
  other.all({"loadsgf " + file});
  EXPECT_EQ(board_of(other), board_of(gtp));
}

TEST(Gtp, AnalysisRunsUntilTheNextLine) {
  Gtp gtp("go:5x5,komi=0.5");
  for (const std::string stop : {"name", ""}) {
    ASSERT_TRUE(gtp.begin("7 lz-analyze b 1"));
    EXPECT_THAT(gtp.wait_for("info move "), StartsWith("=7\n"));
    const std::string line = gtp.wait_for("order 0 pv ");
    EXPECT_THAT(line, HasSubstr(" visits "));
    EXPECT_TRUE(gtp.engine().searching());
    gtp.begin(stop);
    EXPECT_FALSE(gtp.engine().searching());
    const std::string rest = gtp.take();
    EXPECT_THAT("\n" + rest, ::testing::EndsWith(stop.empty() ? "\n\n" : "\n\n= Koridor\n\n"));
  }
}

TEST(Gtp, LinesOfAnalysisHoldWhatTheyWereAskedFor) {
  Gtp gtp("go:5x5,komi=0.5");
  gtp.begin("kata-analyze w interval 1 maxmoves 3 minmoves 3 ownership true rootInfo true");
  std::string text = gtp.wait_for("\ninfo move ");
  text += gtp.wait_for("\n");
  gtp.say("name");
  const std::string line = text.substr(text.find("info move"), text.find('\n', text.find("info move")));
  EXPECT_THAT(line, AllOf(HasSubstr(" winrate 0."), HasSubstr(" prior 0."), HasSubstr(" order 2 pv "),
                          Not(HasSubstr(" order 3 ")), HasSubstr(" rootInfo visits ")));
  for (const char* wrong : {"kata-analyze b x", "kata-analyze interval", "kata-analyze interval x",
                            "kata-analyze ownership maybe", "lz-analyze allow b a1 3", "lz-analyze b 5 what 1"}) {
    EXPECT_THAT(gtp.say(wrong), StartsWith("? ")) << wrong;
  }
  EXPECT_THAT(gtp.say("kata-analyze w 5 foo bar"), HasSubstr("unknown key \"foo\"; the keys are interval, minmoves,"));
}

TEST(Gtp, GenmoveAnalyzeEndsWithThePlay) {
  Gtp gtp;
  const std::string named = Gtp().all({"genmove b"});
  const std::string answer = gtp.say("3 kata-genmove_analyze b 100");
  EXPECT_THAT(answer, AllOf(StartsWith("=3\ninfo move "), ::testing::EndsWith("\nplay " + named + "\n\n")));
  EXPECT_THAT(gtp.say("lz-genmove_analyze w 100 maxmoves 1"), HasSubstr("\nplay "));
  gtp.all({"undo", "undo"});
}

TEST(Gtp, TimeSettingsSetTheClocks) {
  Gtp gtp;
  const cli::EngineClocks& clocks = gtp.engine().clocks();
  gtp.all({"time_settings 60 30 5"});
  EXPECT_EQ(clocks.control(), (TimeControl{.main = 60, .period = 30, .stones = 5}));
  gtp.all({"time_left w 12.5 0"});
  EXPECT_DOUBLE_EQ(clocks.of(1).main_left(), 12.5);
  EXPECT_DOUBLE_EQ(clocks.of(0).main_left(), 60);
  gtp.all({"time_left b 20 3"});
  EXPECT_EQ(clocks.of(0).stones_left(), 3);
  gtp.all({"clear_board"});
  EXPECT_DOUBLE_EQ(clocks.of(1).main_left(), 60);
  gtp.all({"time_settings 0 1 0"});
  EXPECT_TRUE(clocks.control().none());
  gtp.all({"kgs-time_settings byoyomi 10 5 3"});
  EXPECT_EQ(clocks.control(), (TimeControl{.main = 10, .period = 5, .periods = 3}));
  gtp.all({"kgs-time_settings absolute 9"});
  EXPECT_EQ(clocks.control(), (TimeControl{.main = 9}));
  gtp.all({"kgs-time_settings canadian 10 60 25"});
  EXPECT_EQ(clocks.control().stones, 25);
  gtp.all({"kgs-time_settings none"});
  EXPECT_TRUE(clocks.control().none());
  for (const char* wrong : {"time_settings 1 2", "time_settings -1 0 0", "time_settings nan 0 0", "time_left b 1",
                            "kgs-time_settings", "kgs-time_settings byoyomi 1", "kgs-time_settings soon 1"}) {
    EXPECT_THAT(gtp.say(wrong), StartsWith("? syntax error")) << wrong;
  }
}

TEST(Gtp, ALongMoveEndsAtOnceWhenItIsInterrupted) {
  Gtp gtp("go:5x5,komi=0.5", 100'000'000);
  gtp.begin("genmove b");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(gtp.engine().searching());
  const auto begin = std::chrono::steady_clock::now();
  gtp.begin("# interrupt");
  EXPECT_THAT(gtp.wait_for("\n\n"), MatchesRegex("= ([A-E][1-5]|pass)\n\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Gtp, PonderingEndsWithTheNextCommand) {
  Gtp gtp("go:5x5,komi=0.5", 8);
  gtp.engine().settings().ponder = true;
  gtp.begin("genmove b");
  EXPECT_THAT(gtp.wait_for("\n\n"), StartsWith("= "));
  for (int i = 0; i < 1000 && !gtp.engine().searching(); ++i) std::this_thread::yield();
  EXPECT_TRUE(gtp.engine().searching());
  gtp.begin("name");
  EXPECT_EQ(gtp.take(), "= Koridor\n\n");
  EXPECT_FALSE(gtp.engine().searching());
}

TEST(Gtp, ResignsWhereThatIsAsked) {
  Gtp gtp("go:5x5,komi=0.5", 8);
  gtp.engine().settings().resign = ResignRule{.value = 1, .turns = 3, .play_on = 0};  // every position looks lost
  gtp.all({"clear_board"});
  EXPECT_NE(gtp.all({"genmove b"}), "resign");
  EXPECT_NE(gtp.all({"genmove w"}), "resign");
  EXPECT_NE(gtp.all({"genmove b"}), "resign");
  EXPECT_NE(gtp.all({"reg_genmove b"}), "resign") << "no turn of the game";
  EXPECT_EQ(gtp.all({"genmove b"}), "resign");
  EXPECT_NE(gtp.all({"genmove w"}), "resign");
  gtp.all({"clear_board"});
  EXPECT_NE(gtp.all({"genmove b"}), "resign") << "another game";
}

TEST(Gtp, FiguresForBoards) {
  Gtp gtp;
  EXPECT_THAT(gtp.say("gogui-analyze_commands"), HasSubstr("dboard/Ownership/koridor-ownership"));
  EXPECT_EQ(gtp.words("koridor-ownership").size(), 25u);
  EXPECT_THAT(gtp.say("koridor-value"), MatchesRegex("= black 0\\.[0-9]+ white 0\\.[0-9]+\n\n"));
  EXPECT_THAT(gtp.words("koridor-policy").size() % 2, 0u);
  EXPECT_EQ(gtp.words("all_legal b").size(), 25u);
  gtp.all({"gogui-play_sequence b c3 w d3 b d2"});
  EXPECT_EQ(gtp.words("all_legal b").size(), 22u);
}

// Cleaning up, the engine does not pass while stones of the opponent that look dead are on the board.
TEST(Gtp, CleaningUpDoesNotPassWhileDeadStonesAreLeft) {
  Gtp gtp("go:7x7,komi=-30", 64);
  // With A2 black has two eyes, so that the game is decided.
  gtp.all({"kata-set-rules japanese", with_a_dead_stone() + " b a2", "play w pass", "play b pass", "play w pass"});
  EXPECT_EQ(gtp.all({"reg_genmove b"}), "pass");
  // It takes the stone's two liberties, which leaves the eyes as they are.
  EXPECT_THAT(gtp.all({"kgs-genmove_cleanup b"}), AnyOf("A3", "A5"));
  gtp.all({"play w pass"});
  EXPECT_THAT(gtp.all({"kgs-genmove_cleanup b"}), AnyOf("A3", "A5"));
  EXPECT_THAT(gtp.words("all_legal b"), Contains("A4"));
}

}  // namespace
}  // namespace koridor
