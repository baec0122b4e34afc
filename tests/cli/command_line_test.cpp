// The executable as a user meets it: games, perft, and one clear line with exit code 2 for every kind of mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ModelInfo info_for(const std::string& family) {
  ModelInfo info;
  info.family = family;
  info.game = "quoridor:5x5,walls=3";
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  return info;
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

TEST(CommandLine, BenchRefusesAModelThatDoesNotFit) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 0, "go:5x5");
  expect_refused("bench evaluator --game quoridor:5x5,walls=3 --model " + model, model + ": ");
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
  const auto notes = nlohmann::json::parse(koridor("score /dev/stdin --json", game).output)["notes"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["note"], "1 variation skipped");
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
  expect_refused("simulate-scale /nonexistent --mode in-step", "not in {step,continuous}");
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

TEST(CommandLine, LearnWritesItsEventsWhereItIsTold) {
  const test::TemporaryFolder folder;
  const std::string recipe = (folder / "tiny.toml").string();
  write_file_atomically(recipe, test::kTinyConfig);
  const test::CommandResult games = koridor("selfplay " + recipe + " --out " + (folder / "games").string() +
                                            " --set selfplay.backend=uniform --set selfplay.games=8");
  ASSERT_EQ(games.status, 0) << games.output;
  const test::CommandResult learn =
      koridor("learn " + recipe + " --shards " + (folder / "games").string() + " --threads 1 --out " +
              (folder / "x.koridor").string() + " --events " + (folder / "losses").string());
  EXPECT_EQ(learn.status, 0) << learn.output;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.koridor.events"));
  ASSERT_TRUE(std::filesystem::exists(folder / "losses"));
  const std::filesystem::directory_iterator file(folder / "losses");
  ASSERT_NE(file, std::filesystem::directory_iterator());
  EXPECT_THAT(read_file(file->path()), HasSubstr("training/"));
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
