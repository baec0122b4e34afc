// Games on disk from the command line: folders that selfplay writes, and what inspect says of them and of damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "tests/cli/command.h"
#include "tests/tiny_model.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ShardFolders, GamesOfGoAreWrittenAsSgf) {
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
  for (const std::filesystem::path& shard : {shards_in(shards).front(), shards_in(match).front()}) {
    const std::string before = read_file(shard);
    expect_refused("inspect " + shards + "/*.h5 " + match + "/games-000000.h5 --game 1 --sgf " + shard.string(),
                   "which is read and would be lost");
    EXPECT_EQ(read_file(shard), before);
  }
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

TEST(ShardFolders, AFolderOfGamesIsOfOneModel) {
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
TEST(ShardFolders, AFolderOfGamesIsOfOneModelAlsoWhereTwoBeginAtOnce) {
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

TEST(ShardFolders, AModelThatDoesNotFitLeavesTheFolderToAnother) {
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

TEST(ShardFolders, InspectJudgesGamesBesideDamagedFiles) {
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
TEST(ShardFolders, InspectNamesWhatDoesNotFitTheGame) {
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

TEST(ShardFolders, InspectSaysOnceWhatFitsNoFile) {
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

}  // namespace
}  // namespace koridor
