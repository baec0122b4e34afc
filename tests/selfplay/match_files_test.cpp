#include "selfplay/matches/match_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/game_end.h"
#include "selfplay/matches/match_line.h"
#include "selfplay/matches/match_tally.h"
#include "selfplay/shards/verify.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const AnyGame kFilesGame = parse_game("quoridor:5x5,walls=3");
const MatchIdentity kIdentity{.players = {"greedy", "random"}, .settings = {{"visits", "16"}}};

Schedule schedule(int groups) {
  return {.contests = {one_against_others(2, 0, 1)}, .groups = groups};
}

// Plays the match in the directory until `most` games more have ended.
MatchResult play(const fs::path& folder, int games, int most, const MatchIdentity& identity = kIdentity,
                 const AnyGame& game = kFilesGame) {
  MatchFiles files(folder, game, identity, schedule(games / 2), 1);
  std::atomic<bool> stop{false};
  MatchOptions options;
  options.games = games;
  options.played = files.played();
  options.on_game = [&](const MatchGame& played) {
    files.add(played);
    if (--most == 0) stop = true;
  };
  const auto player = [](const std::string& text) { return load_player(text, 16, SearchConfig{}); };
  const MatchResult result = play_match(game, player(identity.players[0]), player(identity.players[1]), options, stop);
  files.close();
  return result;
}

MatchGame forfeited() {
  MatchGame game;
  game.number = 3;
  game.group = 1;
  game.seats = {1, 0};
  game.seat = 1;
  game.outcome = forfeited_by(0, 2);
  game.reason.kind = EndReason::Kind::forfeit;
  game.reason.seat = 0;
  game.reason.forfeit = {Forfeit::Kind::time, "0.2 s over \"10 s\""};
  game.would_resign = 1;
  return game;
}

TEST(MatchFiles, AnInterruptedMatchGoesOnAndEndsAsIfItHadNot) {
  const TemporaryFolder folder;
  const MatchResult whole = play(folder.path() / "whole", 300, 1000);
  EXPECT_TRUE(play(folder.path() / "cut", 300, 37).stopped);
  EXPECT_TRUE(play(folder.path() / "cut", 300, 100).stopped);
  const MatchResult rest = play(folder.path() / "cut", 300, 1000);
  EXPECT_FALSE(rest.stopped);
  EXPECT_EQ(rest.by_seat, whole.by_seat);
  EXPECT_EQ(rest.groups, whole.groups);
  // Every game is once in each of the files.
  const std::string text = read_file(folder.path() / "cut" / "games.txt");
  EXPECT_EQ(read_saved_games(text, "games.txt").size(), 300u);
  std::map<std::uint32_t, int> numbers;
  for (const char* name : {"games-000000.h5", "games-000256.h5"}) {
    const ShardData shard = read_shard((folder.path() / "cut" / name).string());
    EXPECT_THAT(verify_shard(shard), ::testing::IsEmpty());
    for (const std::uint32_t number : shard.game_number) ++numbers[number];
  }
  EXPECT_EQ(numbers.size(), 300u);
  // And made longer.
  EXPECT_EQ(play(folder.path() / "cut", 320, 1000).total().games, 320);
}

TEST(MatchFiles, ALineThatWasCutOffIsPlayedAgain) {
  const TemporaryFolder folder;
  play(folder.path() / "m", 20, 10);
  const fs::path lines = folder.path() / "m" / "games.jsonl";
  fs::resize_file(lines, fs::file_size(lines) - 5);
  const MatchResult result = play(folder.path() / "m", 20, 1000);
  EXPECT_EQ(result.total().games, 20);
  EXPECT_EQ(result.by_seat, play(folder.path() / "n", 20, 1000).by_seat);
}

TEST(MatchFiles, AnotherMatchIsRefused) {
  const TemporaryFolder folder;
  play(folder.path() / "m", 20, 1000);
  MatchIdentity other = kIdentity;
  other.players[1] = "alphabeta:1";
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1, other); }),
              HasSubstr("of another match: its players is"));
  other = kIdentity;
  other.settings["visits"] = "17";
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1, other); }),
              HasSubstr("its visits is \"16\", not \"17\""));
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 10, 1); }), HasSubstr("game 1"));
}

// What decides the schedule is named, too, unless the directory is of a version that did not write it.
TEST(MatchFiles, AnotherScheduleIsNamed) {
  const TemporaryFolder folder;
  MatchIdentity first = kIdentity;
  first.schedule = {{"--seat", "0"}};
  play(folder.path() / "m", 20, 10, first);
  MatchIdentity other = kIdentity;
  other.schedule = {{"--seat", "2"}};
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1, other); }), HasSubstr(R"(its --seat is "0", not "2")"));
  const fs::path head = folder.path() / "m" / "match.json";
  nlohmann::json before = nlohmann::json::parse(read_file(head));
  before.erase("schedule");
  write_file_atomically(head, before.dump());
  EXPECT_EQ(play(folder.path() / "m", 20, 1000, first).total().games, 20);
}

// A file's name is any bytes, and the files are JSON.
TEST(MatchFiles, NamesThatAreNoTextAreKept) {
  const TemporaryFolder folder;
  MatchIdentity odd = kIdentity;
  odd.settings["openings"] = "even\xff.txt";
  play(folder.path() / "m", 20, 1, odd);
  EXPECT_EQ(play(folder.path() / "m", 20, 1000, odd).total().games, 20);
  odd.settings["openings"] = "even\xfe.txt";
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1, odd); }),
              HasSubstr(R"(its openings is "even\\xff.txt", not "even\\xfe.txt")"));
  MatchGame game = forfeited();
  game.reason.forfeit.detail = "it said \xff";
  const auto read = read_match_line(kFilesGame, match_line(game));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reason.forfeit.detail, R"(it said \xff)");
}

TEST(MatchFiles, ADamagedLineIsNamed) {
  const TemporaryFolder folder;
  play(folder.path() / "m", 20, 1000);
  const fs::path lines = folder.path() / "m" / "games.jsonl";
  std::string text = read_file(lines);
  text[text.find("opening_plies") + 15] = '1';
  write_file_atomically(lines, text);
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1); }), HasSubstr("games.jsonl:1: damaged"));
}

// Without its head nobody can say which match it was: what can be done about that is in the error.
TEST(MatchFiles, ADamagedHeadHasAWayOut) {
  const TemporaryFolder folder;
  play(folder.path() / "m", 20, 1000);
  const fs::path head = folder.path() / "m" / "match.json";
  const std::string way_out = "; name another directory, or remove " + (folder.path() / "m").string();
  for (const std::string& text : {read_file(head).substr(0, 30), std::string("\n"), std::string("{}")}) {
    write_file_atomically(head, text);
    EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1); }), HasSubstr(way_out)) << text;
  }
  fs::remove(head);
  EXPECT_THAT(error_of([&] { play(folder.path() / "m", 20, 1); }), HasSubstr("match.json is missing")) << head;
}

TEST(MatchFiles, ALineHoldsEverythingOfAGame) {
  const MatchGame game = forfeited();
  const std::string line = match_line(game);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = read_match_line(kFilesGame, line);
  ASSERT_TRUE(read);
  EXPECT_EQ(match_line(*read), line);
  EXPECT_EQ(read->reason, game.reason);
  EXPECT_EQ(read->outcome.winner, 1);
}

TEST(MatchFiles, WhatTheRulesContradictIsNoLine) {
  MatchGame game = forfeited();
  game.reason = {};  // the game is not over
  EXPECT_FALSE(read_match_line(kFilesGame, match_line(game)));
  game = forfeited();
  game.actions = {Action{0xFFF}};
  EXPECT_FALSE(read_match_line(kFilesGame, match_line(game)));
  std::string line = match_line(forfeited());
  line[line.find("\"group\":1") + 8] = '2';  // the checksum
  EXPECT_FALSE(read_match_line(kFilesGame, line));
  for (const char* text : {"", "{}", "[]", "null", "{\"number\":1}", "\xff\xfe"})
    EXPECT_FALSE(read_match_line(kFilesGame, text));
}

TEST(MatchFiles, ForfeitsAreOnRecord) {
  const std::vector<std::string> names{"a", "b"};
  const std::string text = write_saved_game(saved_match_game(kFilesGame, names, forfeited()));
  EXPECT_THAT(text, HasSubstr("[Player1 \"b\"]"));
  EXPECT_THAT(text, HasSubstr("[Result \"0-1\"]"));
  EXPECT_THAT(text, HasSubstr("[Termination \"player 1: time (0.2 s over \\\"10 s\\\")\"]"));
  const std::string sgf = write_saved_game(saved_match_game(parse_game("go:5x5"), names, forfeited()));
  EXPECT_THAT(sgf, HasSubstr("RE[W+T]"));
  EXPECT_THAT(sgf, HasSubstr("Termination: player 1: time"));
  // The shard of a decided game holds by its own rules.
  const TemporaryFolder folder;
  MatchFiles files(folder.path() / "m", kFilesGame, kIdentity, schedule(10), 1);
  MatchGame game = forfeited();
  const auto& wall = std::get<wall::WallGame>(kFilesGame);
  const Position start(wall);
  game.actions = {*wall.parse_action(start.state, start.history, "c4", {})};
  files.add(game);
  files.close();
  const ShardData shard = read_shard((folder.path() / "m" / "games-000000.h5").string());
  EXPECT_THAT(verify_shard(shard), ::testing::IsEmpty());
  EXPECT_EQ(shard.game_end[0], static_cast<std::uint8_t>(GameEnd::decided));
  EXPECT_TRUE(shard.game_simulations.empty() && shard.game_evaluations.empty() && shard.game_model.empty())
      << "it does not say what it took";
}

}  // namespace
}  // namespace koridor
