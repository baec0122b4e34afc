// The executable as a user meets it: help, games, perft, and one clear line with exit code 2 for every kind of mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "selfplay/shards/shard.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/cli/words_of.h"
#include "tests/tiny_model.h"
#include "train/learner/random_shard.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ModelInfo info_for(const std::string& family) {
  ModelInfo info;
  info.family = family;
  info.game = "quoridor:5x5,walls=3";
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  return info;
}

TEST(CommandLine, HelpTellsWhatToType) {
  const test::CommandResult help = koridor("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* command :
       {"games", "perft", "train", "status", "selfplay", "learn", "match", "tournament", "rate", "compare", "play",
        "page", "solve", "yardstick", "yardstick-set", "inspect", "score", "bench"}) {
    EXPECT_THAT(help.output, HasSubstr(command));
    const test::CommandResult own = koridor(std::string(command) + " --help");
    EXPECT_EQ(own.status, 0) << command;
    EXPECT_THAT(own.output, HasSubstr("Usage: koridor " + std::string(command)));
  }
}

// Each is run without a terminal, for which 80 columns stand.
TEST(CommandLine, HelpIsAsWideAsATerminal) {
  std::set<std::string> commands = test::words_of(koridor("--help").output, "\n  ([a-z][a-z-]*) ");
  ASSERT_THAT(commands, Contains("match"));
  commands.insert("");
  for (const std::string& command : commands) {
    for (const char* help : {" --help", " --help-all"}) {
      std::istringstream lines(koridor(command + help).output);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << command << help << ": " << line;
    }
  }
  const std::string match = koridor("match --help").output;
  EXPECT_THAT(match, HasSubstr("\n  --sprt TEST                 Play until a sequential test has decided, as in"
                               "\n                              elo0=0,elo1=10,alpha=0.05,beta=0.05\n"));
  EXPECT_THAT(match, HasSubstr("\n  MODEL[@PRECISION]   tree search with the model of a file, perhaps in a"
                               "\n                      precision of its own (f32, bf16 or int8)\n"));
  EXPECT_THAT(koridor("rate --help").output,
              HasSubstr("\nSeveral runs of one game are put on one scale: some of their generations meet,"
                        "\nand one fit of Elo covers all matches.\n"))
      << "a paragraph is broken anew";
  EXPECT_THAT(koridor("export --help").output,
              HasSubstr("\n  torchscript  for LibTorch and PyTorch; it is loaded again and compared before"
                        "\n               it is kept\n  koridor      a model file"));
}

TEST(CommandLine, TheWordHelpAsksForHelp) {
  EXPECT_EQ(koridor("help").output, koridor("--help").output);
  EXPECT_EQ(koridor("help").status, 0);
  EXPECT_EQ(koridor("help perft").output, koridor("perft --help").output);
  expect_refused("help nothing", "there is no subcommand \"nothing\"");
}

TEST(CommandLine, MistakesAreSaidInTheSameWords) {
  expect_refused("solve quoridor:3x3 --seconds -1", "--seconds: -1 is no number from 0 to 1e+09");
  expect_refused("bench rules --seconds 0", "--seconds: 0 is no number from 0.1 to 3600");
  expect_refused("config --set repetition=3",
                 "unknown key \"repetition\"; `koridor config` prints every key, and rules");
  expect_refused("config --set walls=3", "unknown key \"walls\"; `koridor config` prints every key, and rules");
  expect_refused("config --set visit=3", "did you mean \"selfplay.visits\" or \"rating.visits\"?");
  expect_refused("tournament quoridor:3x3 random", "players: 2 are needed at least, and 1 is given");
  expect_refused("bench rules --game chess", "koridor: unknown game 'chess'");
  expect_refused("play quoridor --level ''", "--level: it is empty");
  expect_refused("serve --host ''", "--host: it is empty");
  expect_refused("serve ''", "paths: it is empty");
  expect_refused("rate ''", "run: it is empty");
  expect_refused("evaluate /etc/passwd", "no model file: it does not begin as those that koridor writes");
}

TEST(CommandLine, GamesAreListedWithTheirIds) {
  const test::CommandResult games = koridor("games");
  EXPECT_EQ(games.status, 0);
  for (const char* id : {"quoridor", "quoridor4", "quoridor-kid", "go"}) EXPECT_THAT(games.output, HasSubstr(id));
}

TEST(CommandLine, ScoreTellsWhatEveryRuleSaysOfARecord) {
  const std::string game = "(;SZ[5]RU[chinese]KM[0.5](;B[cc];W[];B[])(;B[aa]))";
  const test::CommandResult scored = koridor("score /dev/stdin", game);
  EXPECT_EQ(scored.status, 0);
  EXPECT_THAT(scored.output, HasSubstr("go:5x5,chinese,komi=0.5, 3 moves\nnote: 1 variation skipped\n"));
  EXPECT_THAT(scored.output, HasSubstr("territory                     24     0\n"));
  EXPECT_THAT(scored.output, HasSubstr("by area                    black by 24.5\n"));
  EXPECT_THAT(scored.output, HasSubstr("by territory               black by 23.5\n"));
  EXPECT_THAT(scored.output, HasSubstr("japanese, komi 6.5         black by 17.5\n"));
  EXPECT_THAT(scored.output, HasSubstr("the game is over: black by 24.5\n"));
  expect_refused("score /nowhere.sgf", "cannot read /nowhere.sgf: No such file");
  expect_refused("score /tmp", "cannot read /tmp: it is a folder");
  EXPECT_EQ(koridor("score /dev/stdin", "(;SZ[5];B[ff])").output,
            "koridor: /dev/stdin:1:9: B[ff] is no point of a board of 5x5\n");
}

TEST(CommandLine, AnalyzeAnswersEveryLineBeforeItEnds) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=1");
  const std::string lines = "{\"id\":\"a\",\"moves\":[\"c4\"],\"analyzeTurns\":[0,1]}\n{\"id\":\"b\"}\nnonsense";
  const auto result = koridor("analyze --visits 5 --perspective sidetomove --model " + model, lines);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(std::ranges::count(result.output, '\n'), 4) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("\"turnNumber\":0"), HasSubstr("\"turnNumber\":1"),
                                   HasSubstr("\"field\":\"moves\""), HasSubstr("no JSON object: parse error")));
  expect_refused("analyze --model /nowhere", "/nowhere");
  expect_refused("analyze --model " + model + " --perspective green", "sidetomove");
  for (const char* command : {"analyze", "engine"}) {
    expect_refused(command + (" go:5x5 --model " + model), "\"wall\", this game is of the family \"go\"");
  }
}

TEST(CommandLine, GamesOfGoAreWrittenAsSgf) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "go:3x3,komi=0.5");
  const std::string shards = (folder / "shards").string();
  write_file_atomically(folder / "go.toml", "[run]\ngame = \"go:3x3,komi=0.5\"\n");
  const std::string play = "selfplay " + (folder / "go.toml").string() + " --model " + model + " --out " + shards +
                           " --generation 7 --set selfplay.first_games=2 --set selfplay.games=2" +
                           " --set selfplay.visits=4 --set selfplay.cheap_visits=2 --set selfplay.slots=2";
  ASSERT_EQ(koridor(play).status, 0);
  const std::string file = (folder / "game.sgf").string();
  EXPECT_EQ(koridor("inspect " + shards + "/*.h5 --game 1 --sgf " + file).output, "");
  const std::string sgf = read_file(file);
  EXPECT_THAT(sgf, AllOf(StartsWith("(;FF[4]GM[1]"), HasSubstr("SZ[3]"), HasSubstr("PB[generation 7]"),
                         ContainsRegex("RE\\[[BW]\\+[0-9.]+\\]")));
  EXPECT_EQ(koridor("inspect " + shards + "/*.h5 --game 1 --sgf -").output, sgf);
  // Who played a match, its games do not say.
  const std::string match = (folder / "match").string();
  ASSERT_EQ(koridor("match go:3x3,komi=0.5 --a random --b greedy --games 2 --out " + match).status, 0);
  EXPECT_THAT(koridor("inspect " + match + "/games-000000.h5 --game 1 --sgf -").output,
              AllOf(HasSubstr("SZ[3]"), Not(HasSubstr("generation"))));
  // Those of several files are one collection.
  EXPECT_THAT(koridor("inspect " + shards + "/*.h5 " + match + "/games-000000.h5 --game 1 --sgf -").output,
              AllOf(StartsWith(sgf), HasSubstr(")\n(;FF[4]")));
  expect_refused("inspect " + shards + "/*.h5 --game 1 --sgf - --json", "--sgf -");
  // The record ends as the game did.
  const std::string record_says = sgf.substr(sgf.find("RE[") + 3, 1) == "B" ? "black by" : "white by";
  EXPECT_THAT(koridor("score " + file).output, HasSubstr("the game is over: " + record_says));
  expect_refused("inspect " + shards + "/none.h5 --sgf " + file, "--game");
  expect_refused("inspect " + shards + " --solver --game 1", "--game");
  expect_refused("inspect " + shards + " --variety --solver", "--solver");
  expect_refused("inspect " + model + " --variety", model + ": a model holds no games; --variety is of shards");
  expect_refused("inspect " + model + " --solver", model + ": a model holds no games; --solver is of shards");
  // What is whole is counted, and the rest is named.
  const std::string junk = (folder / "junk.h5").string();
  write_file_atomically(junk, "this is no shard");
  const test::CommandResult rest = koridor("inspect " + junk + " " + shards + " --variety");
  EXPECT_EQ(rest.status, 2);
  EXPECT_THAT(rest.output, AllOf(HasSubstr("2 games, and their positions"), HasSubstr(junk),
                                 HasSubstr("1 of 2 files is not whole")));
}

TEST(CommandLine, AFolderOfGamesIsOfOneModel) {
  const test::TemporaryFolder folder;
  const std::string shards = (folder / "shards").string();
  const std::string a = test::write_tiny_model(folder / "a.koridor", 1),
                    b = test::write_tiny_model(folder / "b.koridor", 2);
  write_file_atomically(folder / "small.toml", "[run]\ngame = \"quoridor:3x3,walls=1\"\n");
  const auto play = [&](const std::string& model, const std::string& more = "") {
    return "selfplay " + (folder / "small.toml").string() + " --model " + model + " --out " + shards +
           " --set selfplay.games=4 selfplay.first_games=4 selfplay.visits=4 selfplay.cheap_visits=2 selfplay.slots=1" +
           more;
  };
  const test::CommandResult first = koridor(play(a));
  ASSERT_EQ(first.status, 0) << first.output;
  expect_refused(play(b), shards + ": its games are of " + a + " (checksum ");
  expect_refused(play(b), "not of " + b + " (checksum ");
  EXPECT_THAT(koridor(play(b, " selfplay.backend=uniform")).output,
              HasSubstr("not of the backend uniform; use another folder"));
  write_file_atomically(folder / "shards" / "notes.txt", "mine");
  // The model is known by its checksum, wherever it lies.
  std::filesystem::rename(a, folder / "moved.koridor");
  EXPECT_EQ(koridor(play((folder / "moved.koridor").string())).status, 0);
  // A folder of an older build does not say whose games it has.
  std::filesystem::remove(folder / "shards" / "model.json");
  std::filesystem::remove(folder / "shards" / "notes.txt");
  const test::CommandResult old = koridor(play(b));
  EXPECT_EQ(old.status, 0) << old.output;
  EXPECT_THAT(old.output, HasSubstr("4 of 4 games"));
}

// Two that start at once see no games in it. The first file there decides, also before there is a game.
TEST(CommandLine, AFolderOfGamesIsOfOneModelAlsoWhereTwoBeginAtOnce) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "small.toml", "[run]\ngame = \"quoridor:3x3,walls=1\"\n");
  const std::string model[] = {test::write_tiny_model(folder / "a.koridor", 1),
                               test::write_tiny_model(folder / "b.koridor", 2)};
  const auto play = [&](const std::string& shards, int which) {
    return "selfplay " + (folder / "small.toml").string() + " --model " + model[which] + " --out " + shards +
           " --set selfplay.games=4 selfplay.first_games=4 selfplay.visits=4 selfplay.cheap_visits=2 selfplay.slots=1";
  };
  const std::string shards = (folder / "shards").string();
  test::CommandResult results[2];
  {
    std::jthread other([&] { results[1] = koridor(play(shards, 1)); });
    results[0] = koridor(play(shards, 0));
  }
  const int refused = results[0].status == 0 ? 1 : 0;
  EXPECT_EQ(results[1 - refused].status, 0) << results[1 - refused].output;
  EXPECT_EQ(results[refused].status, 2);
  EXPECT_THAT(results[refused].output, HasSubstr("its games are of " + model[1 - refused] + " (checksum "));
  const std::string begun = (folder / "begun").string();
  std::filesystem::create_directory(begun);
  std::filesystem::copy(shards + "/model.json", begun);
  expect_refused(play(begun, refused), "its games are of " + model[1 - refused] + " (checksum ");
  EXPECT_EQ(koridor(play(begun, 1 - refused)).status, 0);
}

TEST(CommandLine, AModelThatDoesNotFitLeavesTheFolderToAnother) {
  const test::TemporaryFolder folder;
  const std::string go = test::write_tiny_model(folder / "go.koridor", 1, "go:3x3");
  const std::string own = test::write_tiny_model(folder / "own.koridor", 1);
  write_file_atomically(folder / "small.toml", "[run]\ngame = \"quoridor:3x3,walls=1\"\n");
  const std::string play = "selfplay " + (folder / "small.toml").string() + " --out " + (folder / "shards").string() +
                           " --set selfplay.games=1 selfplay.first_games=1 selfplay.visits=2 selfplay.slots=1 --model ";
  expect_refused(play + go, go);
  const test::CommandResult played = koridor(play + own);
  EXPECT_EQ(played.status, 0) << played.output;
}

TEST(CommandLine, InspectJudgesGamesBesideDamagedFiles) {
  const test::TemporaryFolder folder;
  const std::string shards = (folder / "shards").string(), junk = (folder / "junk.h5").string();
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=1");
  write_file_atomically(folder / "small.toml", "[run]\ngame = \"quoridor:5x5,walls=1\"\n");
  write_file_atomically(junk, "this is no shard");
  const test::CommandResult played =
      koridor("selfplay " + (folder / "small.toml").string() + " --model " + model + " --out " + shards +
              " --set selfplay.games=5 --set selfplay.first_games=1 --set selfplay.visits=4" +
              " --set selfplay.cheap_visits=2 --set selfplay.slots=1");
  ASSERT_EQ(played.status, 0) << played.output;
  EXPECT_THAT(played.output, HasSubstr("generation 0 has selfplay.first_games = 1"));
  const test::CommandResult truth = koridor("inspect " + junk + " " + shards + " --solver");
  EXPECT_EQ(truth.status, 2);
  EXPECT_THAT(truth.output, AllOf(HasSubstr("1 game, beside the proven values"), HasSubstr(junk),
                                  HasSubstr("1 of 2 files is not whole")));
  // People see fewer plies than programs; of one game no two positions are alike.
  const std::string variety = "inspect " + shards + " --variety";
  EXPECT_THAT(koridor(variety).output, AllOf(ContainsRegex("\n +8 +1 +1 "), Not(ContainsRegex("\n +9 +1 +1 "))));
  const auto rows = nlohmann::json::parse(koridor(variety + " --json").output)["variety"];
  ASSERT_GE(rows.size(), 10u);
  EXPECT_EQ(rows[9]["ply"], 9);
  EXPECT_TRUE(rows[9]["alike"].is_null());
}

// Whole files whose contents do not fit the game that they name.
TEST(CommandLine, InspectNamesWhatDoesNotFitTheGame) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "strange.h5").string();
  const ShardData good = random_shard(parse_game("quoridor:3x3,walls=1"), 2, 1);
  ShardData data = good;
  data.policy_action[0] = 60000;
  write_shard(file, data);
  expect_refused("inspect " + file + " --game 0", "the policy of ply ");
  data = good;
  data.info.game = "quoridor:9x9,walls=1";
  write_shard(file, data);
  for (const char* how : {" --game 0", " --variety", " --solver"}) {
    expect_refused("inspect " + file + how, file + ": quoridor:9x9,walls=1 has 2 players and ");
  }
  const std::string whole = (folder / "whole.h5").string();
  write_shard(whole, good);
  EXPECT_THAT(koridor("inspect " + file + " " + whole + " --variety").output, Not(HasSubstr("0 games")));
  data = good;
  data.ply_action[0] = 60000;
  write_shard(file, data);
  const test::CommandResult rest = koridor("inspect " + file + " " + whole + " --solver");
  EXPECT_EQ(rest.status, 2);
  EXPECT_THAT(rest.output, AllOf(HasSubstr(file + ": ply 1 of game 0 is not legal"), HasSubstr("2 games, beside"),
                                 HasSubstr("1 of 2 files is not whole")));
}

TEST(CommandLine, InspectSaysOnceWhatFitsNoFile) {
  const test::TemporaryFolder folder;
  const std::string shards = (folder / "shards").string();
  for (const char* name : {"/a.h5", "/b.h5"}) {
    std::filesystem::create_directories(shards);
    write_shard(shards + name, random_shard(parse_game("quoridor:3x3,walls=1"), 1, 1));
  }
  const std::string sgf = (folder / "game.sgf").string();
  expect_refused("inspect " + shards + " --game 0 --sgf " + sgf, "koridor: --sgf: SGF records are of Go, not of ");
  expect_refused("inspect " + shards + " --game 0 --verify", "--game");
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1);
  for (const char* how : {"--verify", "--game"}) {
    expect_refused("inspect " + model + (how == std::string("--game") ? " --game 0" : " --verify"),
                   model + ": a model holds no games; " + how + " is of shards");
  }
}

TEST(CommandLine, EvaluateAnswersInJsonForAnyFileName) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model\xff.koridor", 1, "quoridor:5x5,walls=1");
  const test::CommandResult result = koridor("evaluate " + model + " --json");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(nlohmann::json::accept(result.output));
}

TEST(CommandLine, APlayedGameIsSavedAsSgf) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "mine.sgf").string();
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "go:3x3");
  const test::CommandResult played =
      koridor("play --model " + model + " --visits 4 --seat 1 --save " + file, "B2\nquit\n");
  EXPECT_EQ(played.status, 0) << played.output;
  EXPECT_THAT(read_file(file), AllOf(HasSubstr("PB[human]PW[model]"), HasSubstr("\n;B[bb];W[")));
}

TEST(CommandLine, PageWritesAFolderAndSaysHowToLookAtIt) {
  const test::TemporaryFolder folder;
  const std::string out = (folder / "page").string();
  const test::CommandResult page = koridor("page --out " + out);
  EXPECT_EQ(page.status, 0);
  EXPECT_THAT(page.output, AllOf(HasSubstr("koridor-engine.wasm"),
                                 HasSubstr("python3 -m http.server --bind 127.0.0.1 --directory " + out + " 8000\n")));
  EXPECT_TRUE(std::filesystem::exists(folder / "page/index.html"));
  expect_refused("page", "--out");
  expect_refused("page --out " + folder.path().string(), "this folder holds files");
  expect_refused("page /nowhere.koridor --out " + out, "/nowhere.koridor");
}

TEST(CommandLine, PerftLeavesPassesOut) {
  EXPECT_THAT(koridor("perft go:9x9,japanese --no-pass --depth 3").output, HasSubstr("511920 leaves"));
  EXPECT_THAT(koridor("perft go:9x9,japanese --no-pass --depth 1 --divide").output, Not(HasSubstr("pass")));
}

TEST(CommandLine, SolveProvesSmallGames) {
  const std::string solved = koridor("solve quoridor:5x5,walls=1").output;
  EXPECT_THAT(solved, HasSubstr("player 1 to move: player 2 wins in 12 plies"));
  EXPECT_THAT(solved, HasSubstr("108256 positions over 133 arrangements of walls"));
  EXPECT_THAT(koridor("solve quoridor:5x5,walls=1 --moves \"c4 c2 c3\" --actions").output,
              AllOf(HasSubstr("player 2 to move: player"), HasSubstr("\n  a1h    player 1 wins in 2 plies")));
  EXPECT_THAT(koridor("solve quoridor:5x5 --set walls=1 --set max_plies=11").output, HasSubstr("a draw"));
  expect_refused("solve quoridor", "too big to solve in 2048 MiB");
  expect_refused("solve quoridor:5x5,walls=3 --megabytes 1", "more memory");
  expect_refused("solve quoridor:5x5,walls=3 --seconds 0", "in too many ways; give more than 0 s by --seconds");
  EXPECT_THAT(test::run("timeout 1 " + test::program_word("koridor") + " solve quoridor:5x5 --megabytes 100000").output,
              HasSubstr("stopped before quoridor:5x5 was solved"));
  expect_refused("solve quoridor:3x3 --moves \"a3 a9\"", "--moves: \"a9\" as ply 2 of quoridor:3x3: ");
  expect_refused("solve quoridor4:5x5", "two players");
}

TEST(CommandLine, PerftCountsAndDivides) {
  EXPECT_THAT(koridor("perft quoridor --depth 2").output, HasSubstr("16677 leaves"));
  EXPECT_THAT(koridor("perft quoridor:5x5,walls=2 --depth 2 --divide").output, HasSubstr("1109 leaves"));
  EXPECT_THAT(koridor("perft quoridor:9x9 --set walls=0 --depth 3").output, HasSubstr("30 leaves"));
  EXPECT_THAT(koridor("perft --set walls=0 quoridor:9x9 --depth 3").output, HasSubstr("30 leaves"));
  EXPECT_THAT(koridor("perft quoridor --depth 1 --moves \"e8 e2 e3h\"").output, HasSubstr("leaves"));
  EXPECT_THAT(koridor("perft quoridor --depth 1 --notation modern --moves \"e2 e8\"").output, HasSubstr("leaves"));
}

TEST(CommandLine, MistakesAreRefusedInOneLine) {
  expect_refused("", "subcommand");
  expect_refused("tarin x", "tarin");
  expect_refused("perft quoridro --depth 1", "quoridor");
  expect_refused("perft quoridor:5y5 --depth 1", "5y5");
  expect_refused("perft quoridor:5x5,wals=3 --depth 1", "walls");
  expect_refused("perft quoridor --set walls=99 --depth 1", "walls");
  expect_refused("perft quoridor --depth x", "--depth");
  expect_refused("perft quoridor --depth 1 --moves e5", "e5");
  expect_refused("train /nonexistent.toml", "/nonexistent.toml");
  expect_refused("play quoridor --model /nonexistent.koridor", "/nonexistent.koridor");
  expect_refused("match quoridor:3x3,walls=1 --a random --b nobody --games 2 --visits 2", "nobody");
  expect_refused("match quoridor:3x3,walls=1 random greedy", "unexpected: random greedy");
  expect_refused("match quoridor:3x3,walls=1 --a random", "--b is required");
  expect_refused("match quoridor:3x3,walls=1 --a mcts,visits --b random", "visits needs a value: mcts,visits=500");
  expect_refused("tournament quoridor:3x3,walls=1 mcts,visits random", "visits needs a value: mcts,visits=500");
  expect_refused("match quoridor:3x3,walls=1 --a random --b alphabeta:x --games 2 --visits 2", "alphabeta");
  expect_refused("match quoridor:3x3,walls=1 --a random --b random --backend onedn", "did you mean 'onednn'?");
  expect_refused("match quoridor:3x3,walls=1 --a random --b random --precision int4", "did you mean 'int8'?");
  expect_refused("match quoridor:3x3,walls=1 --a random --b random --save a --save b",
                 "--save: it is given more than once");
  const std::string mcts = "match quoridor:3x3,walls=1 --a random --b mcts:4 --games 2 --search ";
  expect_refused(mcts + "considered", "write it as key=value");
  expect_refused(mcts + "gumbel_consider=4", "did you mean \"match.gumbel_considered\"?");
  expect_refused(mcts + "gumbel_considered=2000", "match.gumbel_considered must be an integer from 1 to 1024");
  expect_refused(mcts + "c_puct=x", "match.c_puct must be a number from 0 to 100");
  expect_refused(mcts + "algorithm=uct", "match.algorithm must be one of \"puct\", \"gumbel\"");
  EXPECT_EQ(koridor(mcts + "c_puct=3 --search fpu_reduction=0.5").status, 0);
  expect_refused("inspect /nonexistent.h5", "/nonexistent.h5");
  expect_refused("rate /nonexistent", "/nonexistent");
  expect_refused("rate /nonexistent --visits 400", "--solver");
  expect_refused("bench playouts --game quoridor-kid", "--game means nothing to playouts");
  expect_refused("bench trainer --model quoridor-5x5", "--model means nothing to trainer");
  expect_refused("bench peers --game quoridor-kid", "the games with a peer are go:9x9 and quoridor");
  expect_refused("rate /nonexistent --cross-games 4", "--cross-games is of several runs, or of one run with --player");
  expect_refused("plot /nonexistent --json --out -", "--out -: the numbers go to standard output");
  expect_refused("train --join --run /nonexistent --trainers 2", "--join");
}

TEST(CommandLine, DamagedFilesAreNamed) {
  const test::TemporaryFolder folder;
  const std::string junk = (folder / "junk.h5").string();
  write_file_atomically(junk, "this is no shard");
  expect_refused("inspect " + junk, junk);
  const std::string model = (folder / "junk.koridor").string();
  write_file_atomically(model, "this is no model");
  expect_refused("play quoridor --model " + model, model);
}

#ifdef KORIDOR_HAS_TRAINER
TEST(CommandLine, LearnSpeaksUnderItsOwnName) {
  const test::TemporaryFolder folder;
  const test::CommandResult learn =
      koridor("learn quickstart --shards " + (folder / "no.h5").string() + " --out " + (folder / "x").string());
  EXPECT_EQ(learn.status, 2) << learn.output;
  EXPECT_EQ(learn.output,
            "koridor learn: cannot read " + (folder / "no.h5").string() + ": No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.events")) << "nothing was learned";
}
#endif

TEST(CommandLine, AModelOfAnotherFamilyIsRefused) {
  const test::TemporaryFolder folder;
  ModelInfo info = info_for("go");
  info.signature = {17, 9, 3, 2};
  const std::string path = (folder / "go.koridor").string();
  save_model(path, random_model(info, 1));
  expect_refused("match quoridor:5x5,walls=3 --a " + path + " --b random --games 2 --visits 2", "go.koridor");
}

// `rate` plays the matches that are missing, and with --solver holds every generation against proven values.
TEST(CommandLine, RateHoldsARunAgainstProvenValues) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "run" / "config.toml", to_toml(parse_config(test::kTinyConfig, "tiny")));
  std::filesystem::create_directories(folder / "run" / "models");
  std::filesystem::rename(test::write_tiny_model(folder / "model.koridor", 1, "quoridor:3x3,walls=1"),
                          folder / "run" / "models" / "gen-0000.koridor");
  const test::CommandResult rate = koridor("rate " + (folder / "run").string() + " --solver --positions 50");
  EXPECT_EQ(rate.status, 0) << rate.output;
  EXPECT_THAT(rate.output, AllOf(HasSubstr("vs greedy"), HasSubstr("in 50 positions where some do not (4 visits)"),
                                 ContainsRegex("\ngen-0000 +[0-9.]+% +[0-9.]+% to [0-9.]+%\n")));
  // Whoever takes its directory for a configuration learns how it goes on.
  for (const char* train : {"train ", "train --run "}) {
    const std::string run = (folder / "run").string();
    expect_refused(train + run, "go on with it by `koridor train " + run + "/config.toml --run " + run + "`");
  }
}

// What scripts ask before they queue jobs.
TEST(CommandLine, ConfigSaysWhetherARunCanGoOn) {
  const test::TemporaryFolder folder;
  const std::string recipe = (folder / "tiny.toml").string();
  const std::string run = (folder / "run").string();
  write_file_atomically(recipe, test::kTinyConfig);
  EXPECT_EQ(koridor("config " + recipe + " --run " + run).status, 0) << "there is no such run yet";
  write_file_atomically(folder / "run" / "config.toml", to_toml(parse_config(test::kTinyConfig, "tiny")));
  EXPECT_EQ(koridor("config " + recipe + " --run " + run + " --set run.generations=77").status, 0);
  expect_refused("config " + recipe + " --run " + run + " --set search.c_puct=9",
                 "belongs to another configuration: search.c_puct");
}

// A set is made, found as it was made, and measured on; what is no set is refused by name.
TEST(CommandLine, YardstickMeasuresOnASet) {
  const test::TemporaryFolder folder;
  const std::string set = (folder / "a.yardstick").string();
  const std::string make = "yardstick-set quoridor:3x3,walls=1 --positions 30";
  EXPECT_THAT(koridor(make + " --out " + set).output, HasSubstr("30 positions of quoridor:3x3,walls=1"));
  EXPECT_EQ(koridor(make + " --check " + set).status, 0);
  expect_refused(make + " --seed 2 --check " + set, "position 1 is not what was found now");
  expect_refused(make, "--out");
  const test::CommandResult shown = koridor("yardstick solver --set " + set + " --svg " + (folder / "a.svg").string());
  EXPECT_THAT(shown.output, ContainsRegex("\nsolver +100.0%"));
  EXPECT_THAT(read_file(folder / "a.svg"), HasSubstr("</svg>"));
  expect_refused("yardstick solver", "name a set by --set");
  expect_refused("yardstick solver --set quoridor-5x5-wals3", "did you mean 'quoridor-5x5-walls3'");
  expect_refused("yardstick solver --report --set " + set, "name a model");
  expect_refused("yardstick solver --visits 4,2 --set " + set, "rising");
  expect_refused("yardstick mcts,seconds=1 --set " + set, "say by --visits");
  EXPECT_THAT(koridor("yardstick mcts:7 --set " + set).output, ContainsRegex("mcts:7 +7 [^\n]*\n$"));
  // What cannot be written is said before the work: a game that is not, or a file that is no set, would be named else.
  expect_refused("yardstick-set no-game --out .", "cannot write .: ");
  expect_refused("yardstick solver --set no-set --svg .", "cannot write .: ");
  expect_refused("yardstick-set quoridor --player random --positions 1000000 --out " + set, "may not fit");
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=3,repetition=3");
  const std::string head = "player" + std::string(std::max<std::size_t>(model.size(), 24) - 6, ' ') + " visits";
  EXPECT_THAT(koridor("yardstick --visits 1 " + model).output,
              AllOf(HasSubstr("plays without its rule of repetition"), HasSubstr("quoridor-5x5-walls3: 1000 positions"),
                    HasSubstr(head)));
  const std::string go = test::write_tiny_model(folder / "go.koridor", 1, "go:3x3");
  expect_refused("yardstick random " + go + " --set " + set, "go.koridor");  // and no half of a table before it
  write_file_atomically(set, "x");
  expect_refused("yardstick solver --set " + set, "a.yardstick: no set of positions");
}

TEST(CommandLine, RateHoldsEveryBoardOfARunAgainstProvenValues) {
  const test::TemporaryFolder folder;
  Config config = parse_config(test::kTinyConfig, "tiny");
  config.run.games = {"quoridor:3x3,walls=1", "quoridor:4x4,walls=1", "quoridor"};
  config.rating.baselines = {"random"};
  config.rating.games = 2;
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  std::filesystem::create_directories(folder / "run" / "models");
  std::filesystem::rename(test::write_tiny_model(folder / "model.koridor", 1, "quoridor:3x3,walls=1"),
                          folder / "run" / "models" / "gen-0000.koridor");
  const test::CommandResult rate = koridor("rate " + (folder / "run").string() + " --solver --positions 20");
  EXPECT_EQ(rate.status, 0) << rate.output;
  EXPECT_THAT(rate.output, AllOf(HasSubstr("the proven value of quoridor:3x3,walls=1, in 20 positions"),
                                 HasSubstr("the proven value of quoridor:4x4,walls=1, in 20 positions"),
                                 HasSubstr("koridor: quoridor is too big to solve in")));
  config.run.games = {"quoridor", "quoridor:9x9,walls=9"};
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  const test::CommandResult none = koridor("rate " + (folder / "run").string() + " --solver --positions 20");
  EXPECT_EQ(none.status, 2) << none.output;
  EXPECT_THAT(none.output, HasSubstr("\nkoridor: quoridor:walls=9 is too big to solve in"));
}

TEST(CommandLine, ConfigurationMistakesNameTheKey) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "bad.toml").string();
  write_file_atomically(path, "[selfplay]\nvistis = 3\n");
  expect_refused("train " + path + " --run " + (folder / "run").string(), "did you mean \"selfplay.visits\"?");
  write_file_atomically(path, "[selfplay]\nvisits = \"x\"\n");
  expect_refused("train " + path + " --run " + (folder / "run").string(), "selfplay.visits must be an integer");
}

#ifdef KORIDOR_HAS_TRAINER
TEST(CommandLine, ARunDirectoryOfAnotherConfigurationIsRefused) {
  const test::TemporaryFolder folder;
  Config config = parse_config(test::kTinyConfig, "tiny");
  config.run.seed = 77;
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  expect_refused("train " + (folder / "tiny.toml").string() + " --run " + (folder / "run").string(),
                 "run.seed is 77 there and 1 here");
}

TEST(CommandLine, StatusNamesNoLimitThatIsExceeded) {
  const test::TemporaryFolder folder;
  Config config = parse_config(test::kTinyConfig, "tiny");
  config.run.generations = 1;
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  const RunDirectory run(folder / "run");
  for (int generation = 0; generation <= 1; ++generation) write_file_atomically(run.model(generation), "x");
  EXPECT_THAT(koridor("status " + run.root().string()).output, HasSubstr("run: 1 of 1 generations"));
  write_file_atomically(run.model(2), "x");
  EXPECT_THAT(koridor("status " + run.root().string()).output, HasSubstr("run: 2 generations"));
}
#endif

// The actions that a help text gives as an example of --moves are legal in the game that it names.
TEST(CommandLine, ExamplesOfMovesInHelpTextsAreLegal) {
  for (const std::string command : {"perft", "solve"}) {
    const std::string help =
        std::regex_replace(koridor(command + " --help").output, std::regex("\\s+"), " ");  // it has lines
    std::smatch found;
    ASSERT_TRUE(std::regex_search(help, found, std::regex("e\\.g\\. (\"[^\"]+\") for ([a-z0-9:,=]+)"))) << help;
    const test::CommandResult result = koridor("perft " + found[2].str() + " --depth 1 --moves " + found[1].str());
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

TEST(CommandLine, APersonCanPlay) {
  const test::TemporaryFolder folder;
  const std::string path = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=3");
  const test::CommandResult result = koridor("play --model " + path + " --visits 20 --seed 3",
                                             "help\nhint\nactions\nnonsense\na1\nc4\nundo\nc4\nquit\n");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("to win\nThe search's choice of an action:\n  "),
                    HasSubstr("\"nonsense\" is not an action of quoridor:5x5,walls=3; here one looks like"),
                    HasSubstr("a1 is too far: the pawn on c5 steps to the next square; did you mean a1h?"),
                    HasSubstr("Player 2 plays"), HasSubstr("  c4        move the pawn to c4\n"), Not(HasSubstr("e8"))));
}

}  // namespace
}  // namespace koridor
