// External engines as players: whole games in each protocol, and everything that an engine can do wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/notice.h"
#include "core/base/shell.h"
#include "core/go/named_rules.h"
#include "core/solve/solver.h"
#include "selfplay/matches/engines/engine_player.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/session/seat_player.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"
#include "tests/text_of.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr const char* kWalls = "quoridor:5x5,walls=3";
constexpr const char* kGo = "go:5x5";

std::string engine(const std::string& protocol, const std::string& game, const std::string& options = "") {
  return fmt::format("{}:{} {} {} {}", protocol, shell_word(KORIDOR_FAKE_ENGINE), protocol, game, options);
}

std::vector<MatchGame> play(const std::string& game, const std::string& a, int games, const TimeControl& time = {}) {
  std::vector<MatchGame> played;
  MatchOptions options;
  options.games = games;
  options.threads = 1;
  options.slots = 2;
  options.clock = time;
  options.on_game = [&](const MatchGame& one) { played.push_back(one); };
  play_match(parse_game(game), load_player(a, 8, {}), load_player("random", 8, {}), options, kNeverStop);
  EXPECT_EQ(std::ssize(played), games);
  return played;
}

std::string complaint(const std::string& player, const std::string& game) {
  return error_of([&] {
    const AnyGame any = parse_game(game);
    load_player(player, 8, {}).prepare(any, kNeverStop);
  });
}

// The fake engine refuses actions that are illegal in the position that it has reached, so it has been told of all.
TEST(Engines, PlayWholeGamesInEachProtocol) {
  for (const auto& [protocol, game] : {std::pair("gtp", "go:5x5"),
                                       {"gtp", "go:5x3,japanese"},
                                       {"gtp", "go:9x9,handicap=2"},
                                       {"qtp", "quoridor:5x5,walls=3"},
                                       {"qtp", "quoridor4:5x5,walls=2"},
                                       {"uci", "quoridor:5x5,walls=3"},
                                       {"uci", "quoridor4:5x5,walls=2"},
                                       {"uci", "blockade:5x6,walls=2"},
                                       {"qtp", "blockade:5x6,walls=2"}}) {
    const std::string known = std::string(game).substr(0, std::string(game).find(",handicap"));
    for (const MatchGame& one : play(game, engine(protocol, known), 4)) {
      EXPECT_EQ(one.reason.text(), "") << protocol << " " << game;
    }
  }
}

TEST(Engines, PlayInEveryNotation) {
  for (const char* protocol : {"qtp", "uci"}) {
    for (const char* notation : {"standard", "modern", "qtp"}) {
      const std::string fake = engine(protocol, kWalls, fmt::format("notation={}", notation));
      const std::string own = std::string(protocol) == "qtp" ? "qtp" : "standard";
      for (const MatchGame& one : play(kWalls, fake + ",notation=" + notation, 4)) EXPECT_EQ(one.reason.text(), "");
      int refused = 0;
      for (const MatchGame& one : play(kWalls, fake, 4)) refused += one.reason == EndReason{} ? 0 : 1;
      EXPECT_EQ(refused == 0, own == notation) << protocol << " " << notation;
    }
  }
}

TEST(Engines, ThatKnowNoPlayAreToldByPlaymoveAndPlaywall) {
  for (const MatchGame& one : play(kWalls, engine("qtp", kWalls, "commands=limited"), 6)) {
    EXPECT_EQ(one.reason.text(), "");
  }
}

// A yardstick counts positions without an answer, and does not start more engines than can think at once.
TEST(Engines, ThatHaveNoAnswerAreCountedByTheYardstick) {
  const AnyGame game = parse_game("quoridor:5x5,walls=1");
  const YardstickSet set = draw_proven_set(game, solve_game(game, {}), 6);
  YardstickOptions options;
  options.threads = 1;
  const TemporaryFolder folder;
  const auto figures = [&](const std::string& own) {
    const std::string player = engine("uci", "quoridor:5x5,walls=1", own + " log=" + folder.file(own));
    return measure_model(set, {player, match_search()}, std::vector<int>{4}, options, kNeverStop).visits.front().second;
  };
  const YardstickFigures crashed = figures("fault=crash");
  EXPECT_EQ(crashed.unanswered, 6);
  EXPECT_EQ(crashed.kept, 0);
  EXPECT_THAT(crashed.fault, HasSubstr("crash"));
  EXPECT_EQ(figures("fault=none").unanswered, 0);
  const std::string log = text_of(folder.file("fault=none"));
  std::size_t started = 0;
  for (std::size_t at = 0; (at = log.find("uci\n", at)) != std::string::npos; ++at) ++started;
  EXPECT_EQ(started, 1u) << "one thread has one engine";
}

// A program that nobody here wrote. The random player leaves it dead stones to take.
TEST(Engines, GnuGoBeatsARandomPlayer) {
  const char* program = "/usr/games/gnugo";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "GNU Go is not installed";
  const std::string gnugo = fmt::format("gtp:{} --mode gtp --level 1 --chinese-rules --positional-superko", program);
  for (const auto& [game, games] : {std::pair("go:5x5,chinese,komi=0.5", 4), {"go:9x9,chinese,handicap=4", 2}}) {
    int won = 0;
    for (const MatchGame& one : play(game, gnugo, games)) {
      EXPECT_EQ(one.reason.text(), "");
      won += one.outcome.winner == one.seat ? 1 : 0;
    }
    EXPECT_GE(won, games / 2) << game;
  }
}

struct Fault {
  const char* word;
  Forfeit::Kind kind;
  const char* detail;
  bool restarts;
};

// Each game is lost by the fault, with the reason on record; the engine plays on, in a new process where it has to.
TEST(Engines, EachFaultLosesItsGameAndTheMatchGoesOn) {
  constexpr Fault kFaults[] = {
      {"crash", Forfeit::Kind::crash, "signal 6: out of memory", true},
      {"hang", Forfeit::Kind::hang, "within 0.5 s", true},
      {"garbage", Forfeit::Kind::garbage, "Zzz", true},
      {"flood", Forfeit::Kind::garbage, "a line of more than 65536 bytes", true},
      {"lines", Forfeit::Kind::hang, "within 0.5 s", true},
      {"illegal", Forfeit::Kind::illegal, "", false},
      {"resign", Forfeit::Kind::resign, "", false},
  };
  for (const auto& [protocol, game] : {std::pair("gtp", kGo), {"qtp", kWalls}, {"uci", kWalls}}) {
    for (const Fault& fault : kFaults) {
      const TemporaryFolder folder;
      const std::string log = folder.file("log");
      const std::string at = fault.kind == Forfeit::Kind::illegal ? "2" : "3";
      // Patience counts for an engine's start as well, which takes longer on a busy machine.
      const std::string text = engine(protocol, game, fmt::format("fault={} at={} log={}", fault.word, at, log)) +
                               (fault.kind == Forfeit::Kind::hang ? ",patience=0.5" : "");
      const std::string context = text;
      int faults = 0;
      for (const MatchGame& one : play(game, text, 6)) {
        if (one.reason == EndReason{}) continue;
        ++faults;
        EXPECT_EQ(one.reason.kind, EndReason::Kind::forfeit) << context;
        EXPECT_EQ(one.reason.forfeit.kind, fault.kind) << context << ": " << one.reason.text();
        EXPECT_THAT(one.reason.forfeit.detail, HasSubstr(fault.detail)) << context;
        EXPECT_EQ(one.reason.seat, one.seat);
        EXPECT_EQ(one.outcome.winner, 1 - one.seat);
      }
      EXPECT_GE(faults, 1) << context;
      std::size_t starts = 0;
      const std::string heard = text_of(log);
      for (std::size_t place = heard.find("start "); place != std::string::npos;
           place = heard.find("start ", place + 1))
        ++starts;
      // Two slots, each with its process.
      EXPECT_EQ(starts > 2, fault.restarts) << context << " started " << starts;
    }
  }
}

// Whatever happens, every game is played to an end, and no process is left behind.
TEST(Engines, AnyFaultsInAnyOrderLeaveNoProcess) {
  for (const auto& [protocol, game] : {std::pair("gtp", kGo), {"qtp", kWalls}, {"uci", kWalls}}) {
    const TemporaryFolder folder;
    const std::string log = folder.file("log");
    std::set<Forfeit::Kind> seen;
    for (const MatchGame& one : play(game, engine(protocol, game, "fault=any log=" + log) + ",patience=0.5", 40)) {
      if (one.reason.kind == EndReason::Kind::forfeit) seen.insert(one.reason.forfeit.kind);
    }
    EXPECT_GE(seen.size(), 3u);
    std::istringstream lines(text_of(log));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("start ")) continue;
      EXPECT_TRUE(text_of(fmt::format("/proc/{}/stat", line.substr(6))).empty()) << line;
    }
  }
}

TEST(Engines, ThatRefuseOurMoveLose) {
  for (const char* protocol : {"gtp", "qtp"}) {
    const char* game = std::string(protocol) == "gtp" ? kGo : kWalls;
    for (const MatchGame& one : play(game, engine(protocol, game, "fault=refuse"), 4)) {
      EXPECT_EQ(one.reason.forfeit.kind, Forfeit::Kind::garbage);
      EXPECT_THAT(one.reason.text(), HasSubstr("it refused \"play"));
      EXPECT_THAT(one.reason.text(), HasSubstr("illegal move"));
    }
  }
}

// The next game is another one, for which the engine is started anew where it has to be.
TEST(Engines, WhatTheyDoAfterTheEndOfAGameIsNoFaultInTheNext) {
  for (const auto& [protocol, game] : {std::pair("gtp", kGo), {"qtp", kWalls}}) {
    for (const char* fault : {"leave", "refuse_last"}) {
      for (const MatchGame& one : play(game, engine(protocol, game, fmt::format("fault={}", fault)), 6)) {
        EXPECT_EQ(one.reason.text(), "") << protocol << " " << fault;
      }
    }
  }
}

// One that ends before it has answered anything of a new game is started once more, and not without end.
TEST(Engines, ThatEndAtTheBeginningOfEachGameLoseIt) {
  const TemporaryFolder folder;
  const auto setup = std::make_shared<EngineSetup>();
  setup->description = {.name = "x",
                        .protocol = EngineProtocol::qtp,
                        .command = "while read -r line; do [ -e over ] && exit 3; echo =; echo; done",
                        .directory = folder.path().string()};
  setup->game = engine_game(parse_game(kWalls));
  ExternalEngine engine(setup);
  const auto begin_game = [&] {
    engine.new_game({}, {});
    ExternalEngine::Status status = engine.step();
    for (; status == ExternalEngine::Status::busy; status = engine.step()) std::this_thread::sleep_for(1ms);
    return status;
  };
  ASSERT_EQ(begin_game(), ExternalEngine::Status::ready);
  std::ofstream(folder.file("over")) << "x";
  ASSERT_EQ(begin_game(), ExternalEngine::Status::failed);
  EXPECT_EQ(engine.fault().kind, Forfeit::Kind::crash);
}

// A clock's time is watched although the engine answers in the end.
TEST(Engines, ThatOverrunTheirClockLoseOnTime) {
  for (const auto& [protocol, game] : {std::pair("gtp", kGo), {"qtp", kWalls}, {"uci", kWalls}}) {
    const auto begin = std::chrono::steady_clock::now();
    for (const MatchGame& one : play(game, engine(protocol, game, "fault=late"), 2, {.move = 0.1})) {
      EXPECT_EQ(one.reason.forfeit.kind, Forfeit::Kind::time) << one.reason.text();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
  }
  for (const MatchGame& one : play(kWalls, engine("uci", kWalls, "fault=late"), 2, {.main = 60})) {
    EXPECT_EQ(one.reason.text(), "");
  }
}

// Its clock runs from the beginning of its turn, whatever it is asked first.
TEST(Engines, ThatHangBeforeTheirActionLoseOnTime) {
  const auto begin = std::chrono::steady_clock::now();
  for (const MatchGame& one : play(kWalls, engine("qtp", kWalls, "hangs=time_left"), 2, {.move = 0.2})) {
    EXPECT_EQ(one.reason.forfeit.kind, Forfeit::Kind::time) << one.reason.text();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

// An engine that is being started plays on nobody's clock, in the first game as after a crash.
TEST(Engines, HaveTheTimeTheyNeedToStart) {
  int crashes = 0;
  for (const MatchGame& one : play(kWalls, engine("qtp", kWalls, "start=slow fault=crash at=4"), 4, {.move = 0.8})) {
    if (one.reason == EndReason{}) continue;
    EXPECT_EQ(one.reason.forfeit.kind, Forfeit::Kind::crash) << one.reason.text();
    ++crashes;
  }
  EXPECT_GE(crashes, 1);
}

TEST(Engines, SitAtABoard) {
  const AnyGame game = parse_game(kWalls);
  SeatPlayer healthy(game, load_player(engine("uci", kWalls), 8, {}), {}, 1, kNeverStop);
  const Action first = healthy.think(kNeverStop, {})->action;
  healthy.play(first);
  healthy.reset({});
  EXPECT_EQ(healthy.think(kNeverStop, {})->action, first);
  SeatPlayer resigning(game, load_player(engine("qtp", kWalls, "fault=resign"), 8, {}), {}, 1, kNeverStop);
  EXPECT_TRUE(resigning.think(kNeverStop, {})->resigns);
  resigning.reset({});
  EXPECT_FALSE(resigning.think(kNeverStop, {})->resigns);  // it resigns once
  SeatPlayer crashing(game, load_player(engine("qtp", kWalls, "fault=crash"), 8, {}), {}, 1, kNeverStop);
  EXPECT_THROW(crashing.think(kNeverStop, {}), UserError);
  crashing.reset({});  // starts it anew
  EXPECT_THROW(crashing.think(kNeverStop, {}), UserError);
}

TEST(Engines, AreToldOfTheTime) {
  const TemporaryFolder folder;
  const auto heard = [&](const std::string& protocol, const TimeControl& time, const std::string& options = "",
                         const std::string& own = "") {
    static int number = 0;
    const std::string log = folder.file(std::to_string(++number));
    const std::string game = protocol == "gtp" ? kGo : kWalls;
    play(game, engine(protocol, game, own + " log=" + log) + options, 2, time);
    return text_of(log);
  };
  EXPECT_THAT(heard("gtp", {}), Not(HasSubstr("time_")));
  EXPECT_THAT(heard("gtp", {}, ",seconds=2"), HasSubstr("time_settings 0 2 1\n"));
  const std::string canadian = heard("gtp", {.main = 300, .period = 60, .stones = 5});
  EXPECT_THAT(canadian, HasSubstr("time_settings 300 59 5\n"));
  EXPECT_THAT(canadian, HasSubstr("time_left B 299 0\n"));
  EXPECT_THAT(heard("qtp", {.main = 60, .increment = 1}), HasSubstr("time_left white 59 0\n"));
  EXPECT_THAT(heard("qtp", {.move = 1}), HasSubstr("time_settings 0 0.98 1\n"));
  EXPECT_THAT(heard("uci", {}), HasSubstr("go nodes 8\n"));
  EXPECT_THAT(heard("uci", {}, ",visits=77"), HasSubstr("go nodes 77\n"));
  EXPECT_THAT(heard("uci", {}, ",seconds=2"), HasSubstr("go movetime 2000\n"));
  EXPECT_THAT(heard("uci", {.move = 1}), HasSubstr("go movetime 980\n"));
  const std::string fischer = heard("uci", {.main = 60, .increment = 1});
  EXPECT_THAT(fischer, HasSubstr(" winc 1000 btime "));
  EXPECT_THAT(fischer, HasSubstr("go wtime 59980 "));
  EXPECT_THAT(heard("uci", {.main = 60, .session = 40}), HasSubstr(" movestogo 40\n"));
  // A limit per action holds in byo-yomi, too.
  EXPECT_THAT(heard("uci", {.move = 0.5, .period = 3, .stones = 1}), HasSubstr("go movetime 480\n"));
  EXPECT_THAT(heard("gtp", {.move = 5, .period = 10, .stones = 5}), HasSubstr("time_left W 9.98 5\n"));
  // What an engine says as it refuses to list its commands are none that it knows.
  EXPECT_THAT(heard("gtp", {.main = 60}, "", "commands=refused"), Not(HasSubstr("time_")));
}

// Its first answer comes after 0.3 s, where it was told of 0.2 s.
TEST(Engines, ThatAnswerTooLateAreToldOfLessTime) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log");
  play(kWalls, engine("uci", kWalls, "fault=late log=" + log) + ",margin=0.15", 2, {.move = 0.35});
  const std::string heard = text_of(log);
  const std::string go = "go movetime ";
  const std::size_t first = heard.find(go);
  const std::size_t second = heard.find(go, first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_NEAR(std::stoi(heard.substr(first + go.size())), 200, 1);
  EXPECT_LT(std::stoi(heard.substr(second + go.size())), 195);
}

TEST(Engines, SayWhatTheyExpect) {
  const EngineDescription description{.name = "x", .protocol = EngineProtocol::uci, .command = "x"};
  const EngineGame game = engine_game(parse_game(kWalls));
  const auto dialect = make_dialect(description, game);
  EXPECT_NEAR(*dialect->value("info depth 3 score cp 0 nodes 5 pv e8"), 0.5, 1e-6);
  EXPECT_NEAR(*dialect->value("info multipv 1 score cp 400"), 10.0 / 11, 1e-6);
  EXPECT_EQ(dialect->value("info score mate 3 multipv 1"), 1.0f);
  EXPECT_EQ(dialect->value("info score mate -3"), 0.0f);
  for (const char* line :
       {"info multipv 2 score cp 9", "info string score cp 9", "score cp 9", "info score cp x", ""}) {
    EXPECT_FALSE(dialect->value(line)) << line;
  }
  const AnyGame any = parse_game(kWalls);
  SeatPlayer player(any, load_player(engine("uci", kWalls), 8, {}), {}, 1, kNeverStop);
  EXPECT_NEAR(*player.think(kNeverStop, {})->value, 1 / 11.0, 1e-6);
}

TEST(Engines, AreAskedToTakeDeadStonesWhereTheyCount) {
  const EngineDescription description{.name = "x", .protocol = EngineProtocol::gtp, .command = "x"};
  const EngineGame game = engine_game(parse_game(kGo));
  const auto dialect = make_dialect(description, game);
  EngineFeatures features;
  EXPECT_EQ(dialect->choose({.seat = 1, .to_the_end = true}, features).back().line, "genmove W");
  features.commands.insert("kgs-genmove_cleanup");
  EXPECT_EQ(dialect->choose({.seat = 1, .to_the_end = true}, features).back().line, "kgs-genmove_cleanup W");
  EXPECT_EQ(dialect->choose({.seat = 0, .to_the_end = false}, features).back().line, "genmove B");
  features.commands.insert("kata-set-rules");
  EXPECT_EQ(dialect->choose({.seat = 0, .to_the_end = true}, features).back().line, "genmove B");
}

TEST(Engines, AreToldTheRulesAsTheyUnderstandThem) {
  const EngineDescription description{.name = "x", .protocol = EngineProtocol::gtp, .command = "x"};
  EngineFeatures features;
  features.commands.insert("kata-set-rules");
  for (const char* name : {"go:3x3,chinese", "go:9x9", "go:5x5,japanese,komi=3", "go:5x5,leaflet-strict,komi=1",
                           "go:9x9,ko=situational", "go:9x9,chinese,ko=simple,handicap=2"}) {
    const AnyGame game = parse_game(name);
    const go::Rules& rules = std::get<go::GoGame>(game).rules();
    const EngineGame told = engine_game(game);
    EXPECT_EQ(told.untold, "") << name;
    std::string line;
    for (const Exchange& exchange : make_dialect(description, told)->new_game({}, {}, features)) {
      if (exchange.line.starts_with("kata-set-rules ")) line = exchange.line.substr(15);
    }
    go::Rules understood{.columns = rules.columns, .rows = rules.rows, .handicap = rules.handicap};
    understood.half_points_of_komi = rules.half_points_of_komi;
    EXPECT_EQ(go::with_named_rules(understood, line), rules) << name << ": " << line;
  }
}

TEST(Engines, ThatCannotBeToldARuleBringAWarning) {
  static std::string said;
  said.clear();
  read_notices([](std::string_view line) { said += std::string(line) + "\n"; });
  complaint(engine("gtp", "go:5x5,leaflet-strict"), "go:5x5,leaflet-strict");
  EXPECT_EQ(said, "");
  complaint(engine("gtp", "go:5x5"), "go:5x5,must_save_atari=true");
  read_notices(nullptr);
  EXPECT_THAT(said, HasSubstr("cannot say must_save_atari=true"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
}

TEST(Engines, ThatCannotPlayAreFoundBeforeTheFirstGame) {
  EXPECT_THAT(complaint("gtp:", kGo), HasSubstr("say which program; write gtp:COMMAND"));
  EXPECT_THAT(complaint("gtp:no-such-engine --gtp", kGo), HasSubstr("not found"));
  EXPECT_THAT(complaint(engine("gtp", kGo, "start=crash"), kGo), HasSubstr("status 3: no network"));
  EXPECT_THAT(complaint(engine("gtp", kGo, "start=hang") + ",patience=0.2", kGo), HasSubstr("hang (no answer to"));
  EXPECT_THAT(complaint(engine("gtp", "go:4x4"), "go:4x4"), HasSubstr("refused \"boardsize 4\": unacceptable size"));
  EXPECT_THAT(complaint(engine("gtp", kGo), kWalls), HasSubstr("write qtp:COMMAND or uci:COMMAND"));
  EXPECT_THAT(complaint(engine("uci", kWalls), kGo), HasSubstr("write gtp:COMMAND"));
  EXPECT_THAT(complaint("gtp:echo hello", kGo), HasSubstr("hello"));
  EXPECT_THAT(complaint("gtp:cat /dev/urandom", kGo), HasSubstr("garbage"));
  EXPECT_THAT(complaint("uci:cat /dev/urandom", kWalls), HasSubstr("garbage"));
  EXPECT_THAT(complaint("uci:yes uciok", kWalls), HasSubstr("isready"));
  EXPECT_THAT(complaint("qtp:x,notation=old", kWalls), HasSubstr("unknown notation"));
  EXPECT_THAT(complaint("uci:x,first=red", kWalls), HasSubstr("unknown colour"));
  EXPECT_THAT(complaint("gtp:x,seconds=-3", kGo), HasSubstr("seconds must be a number"));
}

}  // namespace
}  // namespace koridor
