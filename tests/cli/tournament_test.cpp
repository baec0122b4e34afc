// `koridor match` and `koridor tournament` as a user meets them, and players beside a run in `koridor rate`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_file.h"
#include "core/saved_game.h"
#include "selfplay/shards/shard.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kMatch = "match quoridor:3x3,walls=1 --a greedy --b random ";
const std::string kTournament = "tournament quoridor:3x3,walls=1 ";

json figures_of(const std::string& arguments) {
  const test::CommandResult result = koridor(arguments + " --json 2>/dev/null");
  EXPECT_EQ(result.status, 0) << koridor(arguments).output;
  return json::parse(result.output, nullptr, false);
}

TEST(MatchCommand, ASequentialTestEndsIt) {
  const json result = figures_of(kMatch + "--sprt elo0=0,elo1=100");
  EXPECT_EQ(result["sprt"][0]["verdict"], "H1 accepted");
  EXPECT_LT(result["match"][0]["games"], 1000);
  EXPECT_FALSE(result["match"][0]["stopped"]);
  EXPECT_GT(result["match"][0]["los"], 0.99);
  EXPECT_GT(result["match"][0]["elo"], result["match"][0]["elo_low"]);
  double groups = 0;
  for (const json& row : result["groups"]) groups += row["groups"].get<double>();
  EXPECT_EQ(2 * groups, result["match"][0]["games"]);
  EXPECT_THAT(koridor(kMatch + "--sprt elo0=0,elo1=100").output,
              AllOf(HasSubstr("Sequential test of +0 Elo (H0) and +100 Elo (H1): H1 accepted; log-likelihood ratio"),
                    HasSubstr(fmt::format(" by the first {} openings\nThe test chose when to stop, so that",
                                          result["sprt"][0]["groups"].get<int>()))));
  EXPECT_THAT(koridor(kMatch + "--games 2 --sprt elo0=0,elo1=1").output,
              AllOf(HasSubstr("undecided"), Not(HasSubstr("The test chose"))));
  expect_refused(kMatch + "--sprt elo0=5,elo1=1", "--sprt: elo1=1 must be greater than elo0=5");
}

// Its shards keep no searches, so that the kind of their plies is unknown: they are no openings of a generation 0.
TEST(MatchCommand, ItsShardsAreOfNoGeneration) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(koridor(kMatch + "--games 2 --out " + (folder / "m").string()).status, 0);
  const std::string shard = (folder / "m" / "games-000000.h5").string();
  EXPECT_THAT(koridor("inspect " + shard).output,
              AllOf(HasSubstr("of a match with seed 1\n"), HasSubstr(" a game): a match keeps no searches\n"),
                    Not(HasSubstr("opening")), Not(HasSubstr("generation"))));
  const json summary = figures_of("inspect " + shard)["shards"][0];
  EXPECT_TRUE(summary["generation"].is_null() && summary["opening"].is_null()) << summary;
  EXPECT_EQ(summary["full"], 0);
  EXPECT_THAT(koridor("inspect " + shard + " --game 0").output, Not(HasSubstr("opening")));
  EXPECT_TRUE(figures_of("inspect " + shard + " --game 0")["plies"][0]["kind"].is_null());
}

TEST(MatchCommand, GoesOnInItsDirectory) {
  const test::TemporaryFolder folder;
  const std::string out = " --out " + (folder / "m").string();
  const json first = figures_of(kMatch + "--games 20" + out);
  const std::string lines = read_file(folder / "m" / "games.jsonl");
  // Nothing is left to play, and the result is the same.
  EXPECT_EQ(figures_of(kMatch + "--games 20" + out), first);
  EXPECT_EQ(read_file(folder / "m" / "games.jsonl"), lines);
  EXPECT_EQ(figures_of(kMatch + "--games 30" + out), figures_of(kMatch + "--games 30"));
  EXPECT_EQ(read_saved_games(read_file(folder / "m" / "games.txt"), "games.txt").size(), 30u);
  EXPECT_EQ(read_shard((folder / "m" / "games-000000.h5").string()).games(), 30u);
  EXPECT_THAT(koridor("inspect " + (folder / "m" / "games-000000.h5").string() + " --verify").output,
              HasSubstr("30 games"));
  expect_refused(kMatch + "--games 30 --seed 2" + out, "its --seed is \"1\", not \"2\"");
  expect_refused(kMatch + "--games 30 --visits 7" + out, "its --visits is \"64\", not \"7\"");
  expect_refused(kMatch + "--games 30 --search c_puct=3" + out, "its --search c_puct is \"0.5\", not \"3\"");
  expect_refused(kMatch + "--games 30 --seat 2" + out, "its --seat is \"0\", not \"2\"");
  expect_refused("match quoridor:3x3,walls=1 --a greedy --b greedy" + out, "of another match: its players is");
}

TEST(MatchCommand, APlayerPlaysTheOpenings) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  const std::string match = "match quoridor:5x5,walls=3 --a greedy --b random --games 10 --opening-plies 2 ";
  // Both begin with a step towards their goals, though one of them plays by lot.
  ASSERT_EQ(koridor(match + "--opening-player greedy --save " + file).status, 0);
  const std::string games = read_file(file);
  int stepped = 0;
  for (std::size_t at = 0; (at = games.find("\n1. c4 c2 ", at)) != std::string::npos; ++at) ++stepped;
  EXPECT_EQ(stepped, 10) << games;
  expect_refused(match + "--opening-player nobody", "unknown player \"nobody\"");
}

// A run has a file lock, too, which would be the match's.
TEST(MatchCommand, IsNotKeptAmongOtherFiles) {
  const test::TemporaryFolder folder;
  const std::string other = (folder / "other").string();
  const std::string selfplay = "selfplay quickstart --set selfplay.backend=uniform --out ";
  for (const char* name : {"config.toml", "notes.txt", "games.txt"}) {
    std::filesystem::remove_all(other);
    write_file_atomically(other + "/" + name, "mine");
    const std::string says = other + ": this folder holds other files than those of ";
    expect_refused(kMatch + "--games 2 --out " + other, says + "a match, as " + name + "; name a new one");
    expect_refused(kTournament + "random greedy --games 2 --out " + other,
                   says + "a tournament, as " + name + "; name a new one");
    expect_refused(selfplay + other, says + "self-play, as " + name + "; name a new one");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(other), {}), 1) << name;
  }
  write_file_atomically(other + "/model.json", "{\"layers\": 3}");
  expect_refused(selfplay + other, other + ": this folder holds other files than those of self-play");
  // The folder of a start that was broken off, and own files in one that has begun.
  const std::string begun = (folder / "begun").string();
  for (const char* name : {"/lock", "/match.json.4711-host-a.tmp"}) write_file_atomically(begun + name, "");
  for (int start = 0; start < 2; ++start) {
    const test::CommandResult played = koridor(kMatch + "--games 2 --out " + begun);
    EXPECT_EQ(played.status, 0) << played.output;
    write_file_atomically(begun + "/notes.txt", "mine");
  }
  expect_refused(selfplay + begun, begun + ": this folder holds other files than those of self-play");
}

// A name stands for what players.toml has under it when the match begins.
TEST(MatchCommand, AnotherPlayerOfTheSameNameIsAnotherMatch) {
  const test::TemporaryFolder folder;
  const auto match = [&](const std::string& player) {
    write_file_atomically(folder / "players.toml", "[somebody]\nplayer = \"" + player + "\"\n");
    return test::run("cd " + (folder / "").string() + " && " + test::program_word("koridor") +
                     " match quoridor:3x3,walls=1 --a somebody --b random --games 4 --out m")
        .output;
  };
  const std::string first = match("greedy");
  EXPECT_THAT(first, HasSubstr("A is somebody\nB is random\n4 games of "));
  EXPECT_EQ(match("greedy"), first);
  EXPECT_THAT(match("alphabeta:1"), HasSubstr("its definition of player 1 is \"greedy\", not \"alphabeta:1\""));
}

// The engine's shell waits for a program that would never end.
TEST(MatchCommand, NothingOfAnEngineOutlivesIt) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "pid").string();
  const test::CommandResult result = test::run(
      test::program_word("koridor") + " match quoridor:3x3,walls=1 --b random --a 'uci:sleep 1000 & echo $! >" + file +
      "; wait' & match=$!; while [ ! -s " + file + " ]; do sleep 0.02; done; kill -9 $match; pid=$(cat " + file +
      "); tries=0; while grep -qs ') [^Z]' /proc/$pid/stat && [ $tries -lt 500 ]; do sleep 0.02; tries=$((tries + 1)); "
      "done; [ $tries -lt 500 ] && echo gone");
  EXPECT_THAT(result.output, HasSubstr("gone"));
}

// From one seat nobody knows what an even score is: a player against itself would look stronger than itself.
TEST(MatchCommand, OneSeatSaysNothingOfStrength) {
  const std::string same = "match quoridor:3x3,walls=1 --a greedy --b greedy --seat 1 --games 20 ";
  const json match = figures_of(same)["match"][0];
  for (const char* column : {"elo", "elo_low", "elo_high", "los"}) EXPECT_TRUE(match[column].is_null()) << column;
  EXPECT_THAT(koridor(same).output, AllOf(HasSubstr("what a seat is worth is in it"), Not(HasSubstr("stronger"))));
  expect_refused(same + "--sprt elo0=0,elo1=20", "--sprt: ");
}

TEST(MatchCommand, GamesThatRepeatOthersAreSaid) {
  const std::string same = "match quoridor:3x3,walls=1 --a alphabeta:1 --b alphabeta:1 --games 20 --opening-plies 0 ";
  EXPECT_GT(figures_of(same)["match"][0]["repeated"], 10);
  EXPECT_THAT(koridor(same).output, HasSubstr("of 20 games went move by move as an earlier one"));
  EXPECT_THAT(koridor(kTournament + "alphabeta:1 alphabeta:2 --games 60 --opening-plies 0").output,
              HasSubstr("of 60 games went move by move as an earlier one"));
}

TEST(MatchCommand, AnEmptyTableIsATable) {
  const auto table = [&](const std::string& arguments, const std::string& name) {
    return test::run(test::program_word("koridor") + " " + arguments + " --games 2 --csv --table " + name +
                     " 2>/dev/null");
  };
  EXPECT_EQ(table(kMatch, "faults").output, "player,fault,games\r\n");
  EXPECT_EQ(table(kMatch, "early").output, "resigned,proven,drawn,played_on,wrong_resignations\r\n");
  EXPECT_EQ(table(kTournament + "greedy random", "cycles").output, "a,b,c,los\r\n");
  expect_refused(kMatch + "--games 2 --csv --table sprt", "--table sprt: it needs --sprt");
}

// The games go into a file of their own, and an older one stays until there is one.
TEST(MatchCommand, SavingDestroysNothing) {
  const test::TemporaryFolder folder;
  const std::string model = (folder / "m.koridor").string();
  test::write_tiny_model(model, 1);
  const std::string bytes = read_file(model);
  const std::string match = "match quoridor:3x3,walls=1 --games 2 --visits 2 --b random ";
  expect_refused(match + "--a " + model + " --save " + model, "which is read and would be lost");
  expect_refused(match + "--a " + model + ",visits=4 --save " + model, "which is read and would be lost");
  expect_refused(kTournament + "random " + model + " --save " + model, "which is read and would be lost");
  const std::string set = "yardstick-set quoridor:3x3,walls=1 --positions 4 --visits 4 --player ";
  expect_refused(set + model + ",visits=2 --out " + model, "which is read and would be lost");
  expect_refused("openings quoridor:3x3,walls=1 --model " + model + " --out " + model,
                 "which is read and would be lost");
  EXPECT_EQ(read_file(model), bytes);
  // Also where a file of players has its name.
  write_file_atomically(folder / "players.toml", "[mine]\nplayer = \"m.koridor\"\n");
  const std::string in_folder = "cd " + (folder / "").string() + " && " + test::program_word("koridor") + " ";
  for (const char* const output : {"m.koridor", "players.toml"}) {
    const auto refused = [&](const std::string& command) {
      const test::CommandResult result = test::run(in_folder + command + " " + output);
      EXPECT_EQ(result.status, 2) << command;
      EXPECT_THAT(result.output, HasSubstr("which is read and would be lost")) << command;
    };
    refused(set + "mine --out");
    refused("openings quoridor:3x3,walls=1 --model mine --out");
    refused("yardstick mine --set quoridor-5x5-walls3 --svg");
  }
  EXPECT_EQ(read_file(model), bytes);
  const std::string out = (folder / "kept").string();
  expect_refused(match + "--a greedy --out " + out + " --save " + out + "/games.jsonl", "name another file");
  ASSERT_EQ(koridor(match + "--a greedy --out " + out + " --save " + out + "/mine.txt").status, 0);
  ASSERT_EQ(koridor(match + "--a greedy --out " + out + " --save " + out + "/mine.txt").status, 0);
  const std::string old = (folder / "old.txt").string();
  write_file_atomically(old, "keep me");
  EXPECT_EQ(koridor("match go:5x5 --games 2 --a " + model + " --b random --save " + old).status, 2);
  EXPECT_EQ(read_file(old), "keep me");
  expect_refused(match + "--a greedy --out " + out + "2 --save " + out + "2/games.txt", "name another file");
  for (const char* option : {"--save", "--out", "--openings", "--resign", "--clock"}) {
    expect_refused(match + "--a greedy " + option + " \"\"", "it is empty");
  }
}

TEST(MatchCommand, OpeningsComeFromAFile) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "openings.txt").string();
  write_file_atomically(file, "[Game \"quoridor:3x3,walls=1\"]\n\n1. a1h *\n\n1. b2h *\n");
  const std::string save = (folder / "games.txt").string();
  ASSERT_EQ(koridor(kMatch + "--openings " + file + " --save " + save).status, 0);
  const std::string games = read_file(save);
  std::size_t first = 0;
  for (std::size_t at = games.find("1. a1h"); at != std::string::npos; at = games.find("1. a1h", at + 1)) ++first;
  EXPECT_EQ(first, 2u) << "each opening in both seats, and no game twice";
  expect_refused(kMatch + "--games 6 --openings " + file,
                 "--games 6: " + file + " has 2 openings of quoridor:3x3,walls=1, enough for 4 games");
  expect_refused(kTournament + "greedy random --games 6 --openings " + file, "--games 6: ");
  EXPECT_EQ(figures_of(kTournament + "greedy random --openings " + file)["standings"][0]["games"], 4);
  EXPECT_LE(figures_of(kMatch + "--sprt elo0=0,elo1=10 --openings " + file)["match"][0]["games"], 4);
  expect_refused(kMatch + "--opening-plies 1.5 --openings " + file, "a whole number of plies");
  expect_refused(kMatch + "--openings /nowhere/x", "/nowhere/x");
  expect_refused(kMatch + "--openings " + file + " --save " + file, "which is read and would be lost");
  write_file_atomically(file, "[Game \"quoridor:3x3,walls=2\"]\n\n1. a1h *\n");
  expect_refused(kMatch + "--openings " + file,
                 "game 1 is of quoridor:3x3,walls=2, and none is of quoridor:3x3,walls=1");
  const std::string whole = (folder / "whole.txt").string();
  ASSERT_EQ(koridor(kMatch + "--games 2 --save " + whole).status, 0);
  expect_refused(kMatch + "--openings " + whole,
                 "is over, and an opening may not end it; `koridor match --opening-plies` takes only so many plies");
  EXPECT_EQ(koridor(kMatch + "--games 2 --opening-plies 1 --openings " + whole).status, 0);
}

// A trained model, whose openings are different positions that it finds even, whoever asks for them and for how many.
TEST(OpeningsCommand, DrawsEvenOpenings) {
  const test::TemporaryFolder folder;
  const std::string model = shell_word(KORIDOR_SOURCES "/models/trained/quoridor-5x5.koridor");
  const std::string draw = "openings quoridor:5x5,walls=3 --model " + model + " --plies 3 --visits 16 --temperature 4 ";
  const auto drawn = [&](const std::string& options) {
    const std::string file = (folder / "openings.txt").string();
    const test::CommandResult result = koridor(draw + options + " --out " + file);
    EXPECT_EQ(result.status, 0) << result.output;
    return read_file(file);
  };
  const std::string text = drawn("--even 0.4 --count 30 --threads 1");
  EXPECT_EQ(drawn("--even 0.4 --count 30 --threads 2"), text);
  EXPECT_EQ(drawn("--even 0.4 --count 10"), text.substr(0, drawn("--even 0.4 --count 10").size()));
  std::set<std::uint64_t> positions;
  const std::vector<SavedGame> games = read_saved_games(text, "openings.txt");
  ASSERT_EQ(games.size(), 30u);
  for (const SavedGame& saved : games) {
    ASSERT_EQ(saved.actions.size(), 3u);
    const auto& game = std::get<wall::WallGame>(saved.game);
    Position<wall::WallGame> position(game);
    for (const Action action : saved.actions) position.apply(game, action);
    positions.insert(game.repetition_key(position.state));
  }
  EXPECT_EQ(positions.size(), games.size());
  const std::string others = drawn("--even 0.4 --count 30 --seed 2");
  EXPECT_NE(read_saved_games(others, "openings.txt").front().actions, games.front().actions);

  const auto expected = [](const std::string& openings) {
    std::vector<double> values;
    for (std::size_t at = openings.find("[Expected \""); at != std::string::npos;
         at = openings.find("[Expected", at + 1)) {
      values.push_back(std::stod(openings.substr(at + 11)));
    }
    return values;
  };
  const auto uneven = [&](const std::string& openings, double even) {
    return std::ranges::count_if(expected(openings),
                                 [&](double value) { return std::abs(value - 0.5) > even + 0.005; });
  };
  EXPECT_GT(uneven(text, 0.3), 0);
  EXPECT_EQ(uneven(drawn("--even 0.3 --count 10"), 0.3), 0);

  const std::string file = (folder / "openings.txt").string();
  EXPECT_EQ(koridor("match quoridor:5x5,walls=3 --a greedy --b random --games 8 --openings " + file).status, 0);
  expect_refused("openings quoridor --model greedy --out " + file, "--model");
  expect_refused("openings quoridor4:5x5 --model " + model + " --out " + file, "more than two players");
  expect_refused("openings quoridor --model " + model + ",visits=9 --out " + file, "--model: it takes no options");
  expect_refused("train " + shell_word(KORIDOR_SOURCES "/configs/quickstart.toml") + " --run " +
                     (folder / "run").string() + " --set rating.openings=/nowhere/x",
                 "rating.openings: ");
}

TEST(MatchCommand, GamesAreAdjudicated) {
  const std::string mcts = "match quoridor:5x5,walls=1 --a mcts --b mcts:32 --visits 64 --games 20 ";
  const json proven = figures_of(mcts + "--proven");
  EXPECT_GT(proven["early"][0]["proven"], 15);
  const json resigned = figures_of(mcts + "--resign value=0.4,turns=1,play_on=0.5");
  EXPECT_GT(resigned["early"][0]["resigned"], 3);
  EXPECT_GT(resigned["early"][0]["played_on"], 3);
  EXPECT_GT(figures_of(mcts + "--draw plies=4,within=1,turns=2")["early"][0]["drawn"], 15);
  expect_refused(mcts + "--resign turns=0", "--resign: turns=0: turns must be a number from 1 to 1000");
  expect_refused("match quoridor4:5x5,walls=1 --a random --b random --resign turns=1", "more than two players");
}

TEST(TournamentCommand, ShowsStandingsAndScores) {
  const json result =
      figures_of(kTournament + "random greedy alphabeta:2 --games 40 --anchor greedy --anchor-elo 1000");
  ASSERT_EQ(result["standings"].size(), 3u);
  EXPECT_EQ(result["standings"][2]["player"], "random");
  for (const json& row : result["standings"]) {
    if (row["player"] == "greedy") {
      EXPECT_EQ(row["elo"], 1000.0);
    }
    EXPECT_EQ(row["games"], 80);
  }
  EXPECT_EQ(result["cross"].size(), 6u);
  const std::string text = koridor(kTournament + "random greedy alphabeta:2 --games 40").output;
  EXPECT_THAT(text, AllOf(HasSubstr("Elo"), HasSubstr("random"), HasSubstr("alphabeta:2")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
}

TEST(TournamentCommand, HasShortNamesOfModelsForPeople) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "small.koridor", 1);
  const std::string command = kTournament + "random " + model + " --games 2 --visits 2";
  const std::string text = koridor(command).output;
  EXPECT_THAT(text, HasSubstr(" small  "));
  EXPECT_THAT(text, Not(HasSubstr(model)));
  EXPECT_THAT(figures_of(command)["standings"].dump(), HasSubstr(model));
}

TEST(TournamentCommand, AGauntletAndGamesForFour) {
  EXPECT_EQ(figures_of(kTournament + "greedy random alphabeta:1 --games 4 --form gauntlet")["cross"].size(), 4u);
  const json four = figures_of("tournament quoridor4:5x5,walls=2 random greedy alphabeta:2 mcts:8 --games 8");
  EXPECT_EQ(four["standings"].size(), 4u);
  EXPECT_EQ(four["cross"].size(), 12u);
}

// 24 orders of four players, and not only the four in which everybody has every seat.
TEST(TournamentCommand, PlaysEveryOrderOfThePlayers) {
  const json figures =
      figures_of("tournament quoridor4:5x5,walls=2 random greedy alphabeta:1 mcts:2 --games 1 --permutations");
  ASSERT_EQ(figures["standings"].size(), 4u);
  for (const json& row : figures["standings"]) EXPECT_EQ(row["games"], 24) << row;
  expect_refused(kTournament + "random greedy --permutations", "--permutations: in a game of two");
  expect_refused("tournament quoridor4:5x5,walls=2 random greedy --permutations", "--permutations: with fewer players");
}

// Two players in four seats: a game has one result of a player in one of its groups, and three in the other.
TEST(TournamentCommand, CountsTheResultsOfEverySeat) {
  const std::string command = "tournament quoridor4:5x5,walls=2 random greedy --games 4";
  const json figures = figures_of(command);
  for (const json& row : figures["standings"]) {
    EXPECT_EQ(row["games"], 8);
    EXPECT_EQ(row["seats"], 16);
    EXPECT_EQ(row["seats"], row["wins"].get<int>() + row["draws"].get<int>() + row["losses"].get<int>());
  }
  EXPECT_THAT(koridor(command).output, HasSubstr("games   seats"));
  EXPECT_THAT(koridor(kTournament + "random greedy --games 4").output, Not(HasSubstr("seats")));
}

TEST(TournamentCommand, HelpSaysThatMoreThanTwoMayPlay) {
  EXPECT_THAT(koridor("tournament --help").output, AllOf(HasSubstr("players..."), Not(HasSubstr("(2x)"))));
}

TEST(TournamentCommand, GoesOnInItsDirectory) {
  const test::TemporaryFolder folder;
  const std::string command = kTournament + "random greedy alphabeta:1 --games 6 --out " + (folder / "t").string();
  const json first = figures_of(command);
  // As if it had been killed after some games.
  const std::string lines = read_file(folder / "t" / "games.jsonl");
  write_file_atomically(folder / "t" / "games.jsonl", lines.substr(0, lines.size() / 2));
  EXPECT_EQ(figures_of(command), first);
  expect_refused(command + " --form gauntlet", "its --form is \"round-robin\", not \"gauntlet\"");
}

TEST(TournamentCommand, RefusesWhatIsNoTournament) {
  expect_refused(kTournament + "random", "players");
  expect_refused(kTournament + "random random", "player \"random\" is named twice");
  expect_refused(kTournament + "random greddy", "did you mean \"greedy\"?");
  expect_refused(kTournament + "random greedy --anchor mcts", "--anchor: unknown player 'mcts'");
  expect_refused(kTournament + "random greedy --form swiss", "swiss");
}

TEST(RateCommand, PutsPlayersBesideARunOnOneScaleAndDrawsIt) {
  const test::TemporaryFolder folder;
  const Config config = parse_config(test::kTinyConfig, "tiny");
  const RunDirectory run(folder / "run");
  write_file_atomically(run.config(), to_toml(config));
  for (int generation = 0; generation < 2; ++generation) {
    fs::create_directories(run.model(generation).parent_path());
    test::write_tiny_model(run.model(generation).string(), static_cast<std::uint64_t>(generation) + 1);
  }
  const std::string picture = (folder / "scale.svg").string();
  const std::string command = "rate " + run.root().string() +
                              " --player alphabeta:2 --player solver --cross 2 --cross-games 8 --svg " + picture;
  const json ratings = figures_of(command)["ratings"];
  std::map<std::string, json> by_name;
  for (const json& row : ratings) by_name[row["name"]] = row;
  EXPECT_EQ(by_name.size(), 6u);
  EXPECT_EQ(by_name["solver"]["games"], 16);
  // On so small a board a search proves nearly everything, too.
  EXPECT_GT(by_name["solver"]["elo"].get<double>(), by_name["run/gen-0000"]["elo"].get<double>() - 50);
  const std::string svg = read_file(picture);
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg"), HasSubstr("solver"), HasSubstr("alphabeta:2"), HasSubstr("greedy")));
  EXPECT_EQ(test::run(std::string(KORIDOR_XMLLINT) + " --noout " + picture).status, 0);
  // The matches are kept.
  EXPECT_THAT(koridor(command).output, Not(HasSubstr("to be played")));
  const std::string rate = "rate " + run.root().string();
  expect_refused(rate + " --player solvr", "solvr");
  expect_refused(rate + " --player random --generations 77", "--generations 77: run has rated the generations 0, 1");
  expect_refused(rate + " --player random --generations 0,77", "--generations 77: run has rated the generations 0, 1");
  expect_refused("rate --generations 0,77 " + rate.substr(5) + " --player random",
                 "run has rated the generations 0, 1");
  expect_refused(rate + " --generations 0,1", "--generations is of several runs, or of one run with --player");
  expect_refused(rate + " --player random --cross 0", "--cross 0: ");
}

// A generation that the gate kept out is not even read: its champion plays.
TEST(SelfplayCommand, IsPlayedByTheChampion) {
  const test::TemporaryFolder folder;
  const RunDirectory run(folder / "run");
  std::string config = test::kTinyConfig;
  config += "gate = \"elo0=0,elo1=10\"\n";
  write_file_atomically(run.config(), to_toml(parse_config(config, "tiny")));
  fs::create_directories(run.model(0).parent_path());
  test::write_tiny_model(run.model(0).string(), 1);
  write_file_atomically(run.model(1), "no model");
  const std::string selfplay = "selfplay --run " + run.root().string() + " --generation 1";
  expect_refused(selfplay, "gen-0001.koridor");
  write_json(run.gate(1), {{"generation", 1}, {"before", 0}, {"accepted", false}});
  const test::CommandResult result = koridor(selfplay);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::exists(run.complete(1)));
}

}  // namespace
}  // namespace koridor
