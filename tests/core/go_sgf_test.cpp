// Records of Go: reading and writing SGF, and known positions given as SGF.
#include <gmock/gmock.h>

#include <map>

#include "core/go/sgf.h"
#include "tests/core/go_test_tools.h"
#include "tests/error_of.h"

namespace koridor::go {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string reading_error(std::string_view text) {
  return error_of([&] { read_sgf(text, "game.sgf"); });
}

Position<GoGame> end_of(std::string_view text) {
  return read_sgf(text, "game.sgf").end();
}

TEST(GoSgf, ReadsRulesPlayersAndMoves) {
  const Record record = read_sgf(R"(text before (; FF[4] GM [1]SZ[9]
KM[6.5] RU[Japanese] PB[A \] b\\] PW[two
lines] RE[B+3.5] C[no (game) ;B[aa\]]
;B[ee];W[cc];B[];W[tt]))",
                                 "game.sgf");
  EXPECT_EQ(record.game.name(), "go:9x9,japanese");
  EXPECT_EQ(record.black, "A ] b\\");
  EXPECT_EQ(record.white, "two lines");
  EXPECT_EQ(record.result, "B+3.5");
  EXPECT_TRUE(record.notes.empty());
  ASSERT_EQ(record.actions.size(), 4u);
  EXPECT_EQ(record.game.print_action(record.start, record.actions[0]), "E5");
  EXPECT_EQ(record.game.print_action(record.start, record.actions[1]), "C7");
  EXPECT_EQ(record.end().state.phase, Phase::cleanup);
}

TEST(GoSgf, SkipsVariationsAndSaysSo) {
  const Record record = read_sgf(
      "(;SZ[5]RU[chinese]KM[0];B[cc](;W[bb];B[cb](;W[ab])(;W[bc];B[aa]))(;W[dd](;B[aa])(;B[bb])))(;SZ[9])", "x");
  EXPECT_EQ(record.actions.size(), 4u);
  EXPECT_THAT(record.notes, ElementsAre("4 variations skipped", "1 more game skipped"));
  EXPECT_THAT(read_sgf("(;SZ[5]KM[0];B[aa](;W[bb])(;W[cc]))", "x").notes,
              ElementsAre("no rules given (RU): read as tromp-taylor", "1 variation skipped"));
}

TEST(GoSgf, ReadsRulesetsOfManyNames) {
  const auto name = [](const std::string& rules) { return read_sgf("(;SZ[9]RU[" + rules + "])", "x").game.name(); };
  EXPECT_EQ(name("Tromp-Taylor"), "go:9x9");
  EXPECT_EQ(name("CHINESE"), "go:9x9,chinese");
  EXPECT_EQ(name("Korean"), "go:9x9,japanese");
  EXPECT_EQ(name("AGA"), "go:9x9,chinese,ko=situational");
  EXPECT_EQ(name("NZ"), "go:9x9,ko=situational");
  EXPECT_EQ(name("leaflet-strict,ko=positional"), "go:9x9,leaflet-strict,ko=positional");
  EXPECT_EQ(read_sgf("(;SZ[9]RU[house rules])", "x").notes.front(),
            "unknown rules \"house rules\": read as tromp-taylor");
  EXPECT_EQ(read_sgf("(;SZ[7:5]KM[0])", "x").game.name(), "go:7x5,komi=0");
  EXPECT_EQ(read_sgf("(;GM[1])", "x").game.name(), "go");
}

// As the Fox server writes it, by Chinese rules in stones of two points.
TEST(GoSgf, ReadsAKomiInHundredths) {
  const Record chinese = read_sgf("(;SZ[9]KM[375]RU[Chinese])", "x");
  EXPECT_EQ(chinese.game.name(), read_sgf("(;SZ[9]KM[7.5]RU[Chinese])", "x").game.name());
  EXPECT_THAT(chinese.notes, ElementsAre("KM[375] is in hundredths: read as 7.5 points"));
  EXPECT_EQ(read_sgf("(;SZ[9]KM[650]RU[Japanese])", "x").game.name(),
            read_sgf("(;SZ[9]KM[6.5]RU[Japanese])", "x").game.name());
  const Record stones = read_sgf("(;SZ[9]KM[3.75]RU[Chinese])", "x");
  EXPECT_EQ(stones.game.name(), chinese.game.name());
  EXPECT_THAT(stones.notes, ElementsAre("KM[3.75] is in stones: read as 7.5 points"));
}

TEST(GoSgf, EmptyPropertiesSayNothing) {
  const Record empty = read_sgf("(;SZ[9]RU[Chinese]KM[]HA[ ];B[ee])", "x");
  const Record absent = read_sgf("(;SZ[9]RU[Chinese];B[ee])", "x");
  EXPECT_EQ(empty.game.name(), absent.game.name());
  EXPECT_EQ(empty.notes, absent.notes);
  const Record more = read_sgf("(;SZ[9]RU[Chinese]PL[]AB[]AW[ ]AE[];B[ee];AB[])", "x");
  EXPECT_EQ(more.start, absent.start);
  EXPECT_EQ(more.actions, absent.actions);
}

TEST(GoSgf, ABracketBehindAGameIsNoGame) {
  const std::string text = "(;SZ[9];B[aa])\n(c) 2020 (;-)";
  EXPECT_TRUE(read_sgf(text, "x").notes.empty() ||
              read_sgf(text, "x").notes.back().find("skipped") == std::string::npos);
  EXPECT_EQ(read_sgf_games(text, "x", 10).size(), 1u);
  EXPECT_EQ(read_sgf_games("(;SZ[9];B[aa])( ;SZ[9];B[bb])", "x", 10).size(), 2u);
}

TEST(GoSgf, AHandicapGameThatBeginsOtherwiseKeepsItsPosition) {
  const GoGame game = go_game("go:9x9,chinese,handicap=2");
  const std::vector<std::pair<int, int>> none;
  const std::vector<std::pair<int, int>> black{{4, 4}};
  for (const auto& stones : {none, black}) {
    const Record record{game, game.setup_state(stones, none, 1).value(), {}, "", "", "", {}};
    const Record again = read_sgf(write_sgf(record), "x");
    EXPECT_EQ(again.start, record.start) << write_sgf(record);
    EXPECT_EQ(again.game.rules().half_points_of_komi, game.rules().half_points_of_komi);
  }
}

TEST(GoSgf, SaysWhichKomiItTakesWhereNoneIsGiven) {
  EXPECT_THAT(read_sgf("(;SZ[9]RU[japanese];B[ee])", "x").notes, ElementsAre("no komi given (KM): read as 6.5"));
  EXPECT_FALSE(read_sgf("(;SZ[9]RU[japanese]HA[0];B[ee])", "x").notes.empty());
  EXPECT_TRUE(read_sgf("(;SZ[9]RU[japanese]KM[0];B[ee])", "x").notes.empty());
}

// 275 is written as "275.0", since "275" is what the Fox server makes of 5.5.
TEST(GoSgf, EveryKomiComesBack) {
  for (int half_points = -800; half_points <= 800; ++half_points) {
    const GoGame game = go_game(("go:15x15,komi=" + komi_text(half_points)).c_str());
    const Record record{game, game.initial_state(), {}, "", "", "", {}};
    EXPECT_EQ(read_sgf(write_sgf(record), "x").game.name(), game.name());
  }
}

TEST(GoSgf, RulesSayNothingThatHasAPropertyOfItsOwn) {
  EXPECT_EQ(reading_error("(;SZ[9]RU[columns=5])"), "game.sgf:1:8: RU[columns=5]: columns is not said here but by SZ");
  EXPECT_EQ(reading_error("(;RU[chinese,handicap=2]SZ[9])"),
            "game.sgf:1:3: RU[chinese,handicap=2]: handicap is not said here but by HA");
  EXPECT_EQ(reading_error("(;SZ[9]RU[chinese,komi=1])"),
            "game.sgf:1:8: RU[chinese,komi=1]: komi is not said here but by KM");
}

TEST(GoSgf, ReadsHandicaps) {
  const Record fixed = read_sgf("(;SZ[9]RU[chinese]HA[2]AB[cg][gc];W[ee])", "x");
  EXPECT_EQ(fixed.game.name(), "go:9x9,chinese,handicap=2");
  EXPECT_EQ(fixed.start, fixed.game.initial_state());
  const Record free = read_sgf("(;SZ[9]RU[chinese]HA[2]KM[3]AB[cc][ee];W[gg])", "x");
  EXPECT_EQ(free.game.name(), "go:9x9,chinese,komi=3");
  EXPECT_EQ(free.start.placed[0], 2);
  EXPECT_EQ(free.start.player, 1);
  EXPECT_EQ(read_sgf("(;SZ[9]RU[chinese]HA[3];W[ee])", "x").game.name(), "go:9x9,chinese,handicap=3");
}

TEST(GoSgf, ReadsWhoMovesAfterHandicaps) {
  for (const char* text :
       {"(;SZ[9]RU[chinese]HA[2]PL[B]AB[cg][gc];B[ee];W[dd])", "(;SZ[9]RU[chinese]HA[2]AB[cg][gc];B[ee];W[dd])"}) {
    const Record black = read_sgf(text, "x");
    EXPECT_EQ(black.start.player, 0) << text;
    EXPECT_EQ(black.start.placed[0], 2) << text;
    EXPECT_EQ(black.actions.size(), 2u) << text;
    EXPECT_EQ(read_sgf(write_sgf(black), "again").start, black.start) << text;
  }
  // A handicap of one only gives no komi.
  const Record one = read_sgf("(;SZ[9]RU[chinese]HA[1];B[ee])", "x");
  EXPECT_EQ(one.game.name(), "go:9x9,chinese,komi=0.5");
  EXPECT_EQ(one.start, one.game.initial_state());
  EXPECT_TRUE(one.notes.empty());
  EXPECT_THAT(read_sgf("(;SZ[9]RU[chinese]HA[2];B[ee])", "x").notes,
              ElementsAre("handicap 2 without its stones (AB): none placed"));
}

TEST(GoSgf, ReadsSetUpPositions) {
  const Record record = read_sgf("(;SZ[3]RU[chinese]AB[aa:bb]AE[bb]AW[cc]PL[W])", "x");
  EXPECT_THAT(board_of(record.game, record.start), ElementsAre("XX.", "X..", "..O"));
  EXPECT_EQ(record.start.player, 1);
  EXPECT_EQ(read_sgf("(;SZ[3]AB[aa];W[bb])", "x").start.player, 1);  // told by the first move
}

TEST(GoSgf, ErrorsTellTheLineAndTheColumn) {
  EXPECT_EQ(reading_error("(;SZ[9]\n;B[aa]\n  ;W[aa])"),
            "game.sgf:3:4: W[aa]: white A9 is not legal after 1 moves under go:9x9: a black stone is on A9");
  EXPECT_EQ(reading_error("(;SZ[9];B[aa];B[bb])"), "game.sgf:1:15: B[bb]: black moves twice in a row; a pass is W[]");
  EXPECT_EQ(reading_error("(;SZ[9];B[jj])"), "game.sgf:1:9: B[jj] is no point of a board of 9x9");
  EXPECT_EQ(reading_error("(;SZ[9];B[a5])"), "game.sgf:1:9: B[a5] is no point of a board of 9x9");
  EXPECT_THAT(reading_error("(;SZ[25])"), StartsWith("game.sgf:1:3: SZ[25]: rule 'columns' is 25; it must be 1 to 19"));
  EXPECT_THAT(reading_error("(;SZ[9]KM[6.25])"), StartsWith("game.sgf:1:8: KM[6.25]: rule 'komi'"));
  EXPECT_EQ(reading_error("(;GM[3])"), "game.sgf:1:3: GM[3] is another game; Go is GM[1]");
  EXPECT_EQ(reading_error("(;B[aa];W[bb]AB[cc])"),
            "game.sgf:1:14: AB after a move: stones can be set up before the first only");
  EXPECT_EQ(reading_error("(;SZ[3]AB[aa]AW[ab][ba])"),
            "game.sgf:1:1: the stones set up leave a chain without a liberty");
  EXPECT_EQ(reading_error("(;SZ[9];B[aa]"), "game.sgf:1:14: the file ends with 1 of its brackets '(' open");
  EXPECT_EQ(reading_error("(;SZ[9];B[aa"), "game.sgf:1:11: this value is not closed by ']'");
  EXPECT_EQ(reading_error("(;SZ;B[aa])"), "game.sgf:1:3: property SZ has no value in '[]'");
  EXPECT_EQ(reading_error("(;SZ[9] 5)"), "game.sgf:1:9: '5' where a node ';' or a bracket should be");
  EXPECT_EQ(reading_error("(;PL[X])"), "game.sgf:1:3: PL[X]: the player to move must be B or W");
  EXPECT_EQ(reading_error("(;HA[x])"), "game.sgf:1:3: HA[x]: the handicap must be a number of stones");
  EXPECT_EQ(reading_error("(;SZ[9][13])"), "game.sgf:1:3: SZ has more than one value");
  EXPECT_THAT(reading_error(""), HasSubstr("no game: an SGF file starts with \"(;\""));
  EXPECT_THAT(reading_error("hello (world)"), HasSubstr("no game"));
}

TEST(GoSgf, MovesAfterTheEndAreSkipped) {
  const Record record = read_sgf("(;SZ[9]RU[chinese]KM[0];B[ee];W[];B[];W[cc])", "x");
  EXPECT_EQ(record.actions.size(), 3u);
  EXPECT_EQ(record.after_the_end, 1);
  EXPECT_THAT(record.notes, ElementsAre("1 move after the end skipped"));
}

TEST(GoSgf, ControlBytesInValuesAreReadAsTheyAreWritten) {
  const Record record = read_sgf(
      "(;GM[1]SZ[5]RU[tromp-taylor]KM[7.5]PB[a\x7f\x01"
      "b]PW[c\td]RE[B+R\x7f])",
      "test");
  EXPECT_EQ(record.black, "a  b");
  EXPECT_EQ(record.white, "c d");
  EXPECT_EQ(record.result, read_sgf(write_sgf(record), "written").result);
}

TEST(GoSgf, WritesWhatItReads) {
  Random random(31);
  for (const char* variant : {"go", "go:9x9,japanese,komi=0", "go:13x13,handicap=4", "go:5x7,leaflet-strict",
                              "go:9x9,ko=simple,komi=5.5,max_plies=70", "go:7x7,chinese,must_save_atari=true"}) {
    const GoGame game = go_game(variant);
    Position position(game);
    Record record{game, position.state, {}, "a]b\\", "white:", "B+R", {}};
    for (int i = 0; i < 60 && !game.outcome(position.state, position.history).over(); ++i) {
      record.actions.push_back(game.random_playout_action(position.state, position.history, random));
      position.apply(game, record.actions.back());
    }
    const std::string text = write_sgf(record);
    const Record again = read_sgf(text, "again.sgf");
    EXPECT_EQ(again.game.name(), game.name()) << text;
    EXPECT_EQ(again.start, record.start) << text;
    EXPECT_EQ(again.actions, record.actions) << text;
    EXPECT_EQ(again.black, record.black);
    EXPECT_EQ(again.white, record.white);
    EXPECT_EQ(again.result, record.result);
    EXPECT_TRUE(again.notes.empty()) << again.notes.front();
    EXPECT_EQ(write_sgf(again), text);
  }
}

// Whether `attacker` can take the stone at `target` whatever the other does, within so many plies. Both play in the
// region or pass; when both pass the stone stands. The position says who is first.
class Taking {
 public:
  Taking(const Record& record, int attacker, const std::set<std::string>& region, const std::string& target)
      : game_(record.game), attacker_(attacker) {
    for (int action = 0; action < game_.num_actions(); ++action) {
      const Action move{static_cast<std::uint16_t>(action)};
      const std::string name = game_.print_action(record.start, move);
      if (name == target) target_ = game_.geometry().point[static_cast<std::size_t>(action)];
      if (name == "pass" || region.contains(name)) region_.set(move);
    }
  }

  bool succeeds(const Position<GoGame>& position, int plies) {
    const State& state = position.state;
    const std::uint64_t word =
        state.stones[static_cast<std::size_t>(attacker_ ^ 1)][static_cast<std::size_t>(target_ >> 6)];
    if ((word >> (target_ & 63) & 1) == 0) return true;
    if (plies == 0 || state.passes == 2) return false;
    const std::uint64_t key = mix64(game_.repetition_key(state) ^
                                    mix64(state.ko * 1000u + state.passes * 100u + static_cast<unsigned>(plies)));
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const bool attacks = state.player == attacker_;
    ActionMask legal;
    game_.legal_actions(state, position.history, legal);
    bool taken = !attacks;
    legal.for_each([&](Action action) {
      if (taken == attacks || !region_.test(action)) return;
      Position<GoGame> next = position;
      next.apply(game_, action);
      taken = succeeds(next, plies - 1);
    });
    known_.emplace(key, taken);
    return taken;
  }

 private:
  const GoGame& game_;
  int attacker_;
  int target_ = 0;
  ActionMask region_;
  std::map<std::uint64_t, bool> known_;
};

bool can_take(const Record& record, const Position<GoGame>& position, int attacker, const std::set<std::string>& region,
              const std::string& target, int plies) {
  return Taking(record, attacker, region, target).succeeds(position, plies);
}

TEST(GoPositions, Ko) {
  const std::string ko = "(;SZ[4:3]RU[japanese]AB[ba][ab][cb][bc]AW[ca][db][cc];W[bb]";
  const auto position = end_of(ko + ")");
  EXPECT_EQ(position.state.prisoners[1], 1);
  EXPECT_THAT(reading_error(ko + ";B[cb])"), HasSubstr("B[cb]: black C2 is not legal after 1 moves"));
  EXPECT_EQ(end_of(ko + ";B[aa];W[da];B[cb])").state.prisoners[0], 1);  // after a threat and its answer
}

TEST(GoPositions, Superko) {
  // Three kos; round and round both take. The sixth capture would bring the first position back.
  const std::string setup =
      "AB[ba][fa][ja][ab][eb][gb][ib][bc][fc][jc]AW[ca][ga][ka][bb][db][hb][jb][lb][cc][gc][kc]PL[B]"
      ";B[cb];W[fb];B[kb];W[bb];B[gb]";
  EXPECT_THAT(reading_error("(;SZ[12:3]RU[chinese]" + setup + ";W[jb])"),
              HasSubstr("white K2 is not legal after 5 moves"));
  EXPECT_THAT(reading_error("(;SZ[12:3]RU[AGA]" + setup + ";W[jb])"), HasSubstr("white K2 is not legal after 5 moves"));
  EXPECT_EQ(reading_error("(;SZ[12:3]RU[japanese]" + setup + ";W[jb])"), "no error");
}

TEST(GoPositions, Snapback) {
  // White throws in at C1, black takes that stone and with it his own last liberty but one.
  const std::string setup = "(;SZ[5:4]RU[chinese]AW[ab:eb][ac][ec][ad][ed]AB[bc:dc][bd]PL[W]";
  const auto position = end_of(setup + ";W[cd];B[dd];W[cd])");
  EXPECT_EQ(position.state.prisoners[0], 1);
  EXPECT_EQ(position.state.prisoners[1], 5);
  const Record record = read_sgf(setup + ")", "x");
  EXPECT_TRUE(can_take(record, record.end(), 1, {"C1", "D1"}, "B2", 3));
}

TEST(GoPositions, Seki) {
  // Two liberties, both shared: who plays one of them loses all.
  for (const int first : {0, 1}) {
    const std::string text =
        std::string("(;SZ[5:2]RU[chinese]KM[0]AB[aa:bb]AW[da:eb]PL[") + (first == 0 ? "B" : "W") + "])";
    const Record record = read_sgf(text, "x");
    const std::set<std::string> shared = {"C1", "C2"};
    EXPECT_FALSE(can_take(record, record.end(), 0, shared, "E1", 6)) << first;
    EXPECT_FALSE(can_take(record, record.end(), 1, shared, "A1", 6)) << first;
    EXPECT_EQ(record.game.score(record.start).neutral, 2);
    auto lost = record.end();
    play(record.game, lost, "C1");
    EXPECT_TRUE(can_take(record, lost, first ^ 1, shared, first == 0 ? "A1" : "E1", 1));
  }
}

TEST(GoPositions, BentFourInTheCornerIsPlayedOut) {
  // White plays it as a ko that black, who passes for want of a threat, loses; here in CLEANUP, where it costs nothing.
  const std::string setup =
      "(;SZ[6:5]RU[japanese]KM[0]AB[ac:cc][bd:dd][de]AW[ab:db][dc][ec][ed][ee]PL[W];W[];B[];W[be];B[ae];W[ad]";
  EXPECT_THAT(reading_error(setup + ";B[ae])"), HasSubstr("black A1 is not legal"));
  const Record record = read_sgf(setup + ";B[];W[ae];B[ce];W[ae];B[be];W[ad];B[];W[])", "x");
  const auto position = record.end();
  EXPECT_EQ(position.state.phase, Phase::cleanup);
  EXPECT_EQ(position.state.prisoners[0], 3);
  EXPECT_EQ(position.state.prisoners[1], 10);
  EXPECT_EQ(record.game.score(position.state).area(0), 0);
  EXPECT_TRUE(record.game.outcome(position.state, position.history).over());
  // White's eight stones and seven dead ones of black on 30 points: 22 for white's territory and 7 for the dead.
  EXPECT_EQ(record.game.half_points(position.state), -2 * (30 - 8 + 7));
}

TEST(GoPositions, BulkyFiveDiesAtItsMiddle) {
  const std::string setup = "(;SZ[8:5]RU[chinese,ko=simple]AB[bc:gc][bd:be][ed:gd][fe:ge]AW[ab:hb][ac:ae][hc:he]PL[";
  const std::set<std::string> eye = {"C1", "D1", "E1", "C2", "D2"};
  constexpr int kPlies = 23;  // black takes four, three and two stones on the way
  const Record white_first = read_sgf(setup + "W])", "x");
  std::set<std::string> killing;
  for (const std::string& move : eye) {
    auto played = white_first.end();
    play(white_first.game, played, move);
    if (can_take(white_first, played, 1, eye, "B1", kPlies - 1)) killing.insert(move);
  }
  EXPECT_EQ(killing, (std::set<std::string>{"D1"}));
  const Record black_first = read_sgf(setup + "B])", "x");
  EXPECT_FALSE(can_take(black_first, black_first.end(), 1, eye, "B1", kPlies));
}

TEST(GoPositions, CaptureRace) {
  // Three liberties against three, none shared but the middle: who is first takes; with one more, the other may pass.
  const std::set<std::string> all = {"A1", "B1", "C1", "D1", "E1", "F1"};
  for (const int first : {0, 1}) {
    const Record even =
        read_sgf(std::string("(;SZ[6:2]RU[chinese]AB[aa:ca]AW[da:fa]PL[") + (first == 0 ? "B])" : "W])"), "x");
    EXPECT_EQ(can_take(even, even.end(), 0, all, "E2", 7), first == 0);
    EXPECT_EQ(can_take(even, even.end(), 1, all, "B2", 7), first == 1);
  }
}

}  // namespace
}  // namespace koridor::go
