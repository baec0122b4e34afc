// Recipes and trained models are found by their names from every folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Runs koridor in a folder of its own that holds this program at build/koridor and nothing else of the sources.
class Recipes : public testing::Test {
 protected:
  Recipes() {
    std::filesystem::create_directories(folder_ / "build");
    std::filesystem::create_directories(folder_ / "configs");
    std::filesystem::create_directories(folder_ / "elsewhere");
    std::filesystem::copy_file(test::program("koridor"), folder_ / "build/koridor");
    write_file_atomically(folder_ / "configs/mine.toml", "[run]\ngame = \"quoridor:3x3\"\n");
  }
  test::CommandResult koridor(const std::string& arguments) const {
    return test::run("cd " + (folder_ / "elsewhere").string() + " && ../build/koridor " + arguments);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Recipes, AreFoundByName) {
  const test::CommandResult found = koridor("config mine");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_THAT(found.output, HasSubstr("quoridor:3x3"));
}

TEST_F(Recipes, AreRefusedWhereTheRatingsAreImpossible) {
  const test::CommandResult nobody = koridor("config mine --set 'rating.baselines=[\"gredy\"]'");
  EXPECT_EQ(nobody.status, 2);
  EXPECT_THAT(nobody.output, HasSubstr("rating.baselines: unknown player \"gredy\"; did you mean \"greedy\"?"));
  const test::CommandResult nothing = koridor("config mine --set rating.openings=none.txt");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.output, HasSubstr("rating.openings: "));
}

TEST_F(Recipes, AreRefusedWhereTheLearningRateWouldRise) {
  const test::CommandResult refused = koridor("config mine --set training.final_learning_rate=1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output,
              StartsWith("koridor: training.final_learning_rate (1) is above training.learning_rate ("));
  EXPECT_EQ(std::ranges::count(refused.output, '\n'), 1) << refused.output;
}

TEST_F(Recipes, FilesHereComeFirst) {
  write_file_atomically(folder_ / "elsewhere/mine", "[run]\ngame = \"quoridor:4x4\"\n");
  EXPECT_THAT(koridor("config mine").output, HasSubstr("quoridor:4x4"));
}

TEST_F(Recipes, AreListedForAnUnknownName) {
  const test::CommandResult unknown = koridor("config mien");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, AllOf(HasSubstr("unknown recipe 'mien'"), HasSubstr("did you mean 'mine'?")));
  EXPECT_EQ(std::ranges::count(unknown.output, '\n'), 1);
  EXPECT_THAT(koridor("config none/mine.toml").output, HasSubstr("none/mine.toml"));
}

TEST_F(Recipes, OfARunAreItsFile) {
  for (const char* name : {"begun", "mine"}) {
    std::filesystem::create_directories(folder_ / "elsewhere" / name);
    write_file_atomically(folder_ / "elsewhere" / name / "config.toml", "[run]\ngame = \"quoridor:4x4\"\n");
  }
  const test::CommandResult run = koridor("config begun");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.output,
            "koridor: begun is the directory of a run, and a recipe was expected; the run's is begun/config.toml\n");
  EXPECT_THAT(koridor("config begun/config.toml").output, HasSubstr("quoridor:4x4"));
  EXPECT_THAT(koridor("config mine").output, HasSubstr("quoridor:3x3")) << "the name of a recipe comes first";
}

TEST_F(Recipes, TrainedModelsAreFoundByNameToo) {
  std::filesystem::create_directories(folder_ / "models/trained");
  const std::string trained = (folder_ / "models/trained/mine.koridor").string();
  save_model(trained, *test::tiny_model(parse_game("quoridor:3x3,walls=1")));
  EXPECT_THAT(koridor("evaluate mine").output, HasSubstr("quoridor:3x3,walls=1"));
  for (const char* arguments : {"engine --model mine --protocol uci </dev/null", "play --model mine@f32 </dev/null"}) {
    const test::CommandResult found = koridor(arguments);
    EXPECT_EQ(found.status, 0) << arguments << "\n" << found.output;
  }
  // A file here comes first, and a name that nobody knows is said as it was written.
  write_file_atomically(folder_ / "elsewhere/mine", "no model");
  EXPECT_EQ(koridor("evaluate mine").status, 2);
  const test::CommandResult unknown = koridor("evaluate yours");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr("unknown model 'yours'; the models are mine\n"));
}

TEST_F(Recipes, TrainedModelsAreListedForAnUnknownName) {
  std::filesystem::create_directories(folder_ / "models/trained");
  save_model((folder_ / "models/trained/mine.koridor").string(), *test::tiny_model(parse_game("quoridor:3x3,walls=1")));
  const std::string near = "unknown model 'mien'; did you mean 'mine'? the models are mine\n";
  for (const char* arguments :
       {"evaluate mien", "export mien --format koridor", "serve mien", "play --model mien", "engine --model mien",
        "inspect mien", "openings quoridor:3x3,walls=1 --model mien --out x"}) {
    const test::CommandResult unknown = koridor(arguments);
    EXPECT_EQ(unknown.status, 2) << arguments;
    EXPECT_EQ(unknown.output, "koridor: " + near) << arguments;
  }
  const std::string match = "match quoridor:3x3,walls=1 --games 2 --b random --a ";
  for (const std::string& arguments : {match + "mien,visits=2", std::string("yardstick mien")}) {
    const test::CommandResult unknown = koridor(arguments);
    EXPECT_EQ(unknown.output, "koridor: unknown player \"mien\"; did you mean \"mine\"?\n") << arguments;
  }
  EXPECT_THAT(koridor(match + "somebody_else").output, HasSubstr("; the trained models are mine\n"));
  // A model where a game is meant, a game where a model is, and a run without its folder.
  EXPECT_THAT(koridor("play mine").output, HasSubstr("'mine' is a trained model, and a game was expected"));
  EXPECT_THAT(koridor("match mine --a random --b random").output, HasSubstr("`koridor play --model mine` plays it"));
  EXPECT_THAT(koridor("play --model quoridor").output,
              HasSubstr("'quoridor' is a game, and a model was expected; none comes with Koridor that was trained"));
  save_model((folder_ / "models/trained/big.koridor").string(), *test::tiny_model(parse_game("quoridor")));
  EXPECT_THAT(koridor("play --model quoridor").output, HasSubstr("trained on it: big\n"));
  write_file_atomically(folder_ / "elsewhere/runs/first/config.toml", "");
  EXPECT_THAT(koridor("inspect first").output, HasSubstr("did you mean the run runs/first?"));
  EXPECT_THAT(koridor("status first").output, HasSubstr("there is no such folder; did you mean runs/first?"));
  write_file_atomically(folder_ / "elsewhere/runs/lab/small/seed-1/config.toml", "");
  EXPECT_THAT(koridor("status runs/lab").output, HasSubstr("it holds runs: runs/lab/small/seed-1"));
  // What is no bare word is a path, and keeps its own error.
  EXPECT_THAT(koridor("evaluate none/mien.koridor").output, HasSubstr("cannot read none/mien.koridor:"));
  EXPECT_THAT(koridor(match + "mcts,visits").output, HasSubstr("visits needs a value"));
}

TEST_F(Recipes, APathThatIsSomethingElseIsToldWhatItIs) {
  std::filesystem::create_directories(folder_ / "elsewhere/runs/one/models");
  const std::string model = "runs/one/models/gen-0000.koridor";
  test::write_tiny_model(folder_ / "elsewhere" / model, 1);
  write_file_atomically(folder_ / "elsewhere/runs/one/config.toml", to_toml(parse_config(test::kTinyConfig, "tiny")));
  const auto refusal = [&](const std::string& arguments) {
    const test::CommandResult refused = koridor(arguments);
    EXPECT_EQ(refused.status, 2) << arguments;
    return refused.output;
  };
  EXPECT_THAT(refusal("play " + model), HasSubstr("as in koridor play --model " + model + "\n"));
  for (const char* arguments : {"play --model runs/one", "evaluate runs/one"}) {
    EXPECT_THAT(refusal(arguments), HasSubstr("runs/one is the directory of a run, and a model was expected; the run's "
                                              "newest is " +
                                              model + "\n"));
  }
  EXPECT_EQ(refusal("serve runs"), "koridor: runs: no run directory: it holds runs: runs/one\n");
  EXPECT_EQ(refusal("rate nodir"), "koridor: nodir: no run directory: there is no such folder\n");
}

TEST_F(Recipes, TrainedModelsStandBesideTheGames) {
  std::filesystem::create_directories(folder_ / "models/trained");
  Model model = *test::tiny_model(parse_game("quoridor:3x3,walls=1"));
  model.info.games = {"quoridor:3x3,walls=1", "quoridor:3x3,walls=2"};
  save_model((folder_ / "models/trained/mine.koridor").string(), model);
  EXPECT_THAT(koridor("games").output, HasSubstr("mine"));
  EXPECT_THAT(koridor("games --csv --table models").output,
              HasSubstr("model,game\r\nmine,\"quoridor:3x3,walls=1\"\r\nmine,\"quoridor:3x3,walls=2\"\r\n"));
}

TEST_F(Recipes, TrainedModelsArePlayersByTheirNames) {
  std::filesystem::create_directories(folder_ / "models/trained");
  const std::string trained = (folder_ / "models/trained/mine.koridor").string();
  const std::string game = "quoridor:3x3,walls=1";
  save_model(trained, *test::tiny_model(parse_game(game)));
  const std::vector<std::string> commands = {
      "match " + game + " --a mine,visits=2 --b mcts:2 --games 2 --out played",
      "tournament " + game + " random mine@f32 --games 2 --visits 2", "inspect mine",
      "play " + game + " --seat1 mine --seat2 greedy --visits 2 </dev/null", "export mine --format koridor"};
  for (const std::string& arguments : commands) {
    const test::CommandResult found = koridor(arguments);
    EXPECT_EQ(found.status, 0) << arguments << "\n" << found.output;
    EXPECT_THAT(found.output, HasSubstr("mine")) << arguments;
  }
  // What is made of a model that was named is written here, and not beside the installed file.
  EXPECT_TRUE(std::filesystem::exists(folder_ / "elsewhere/mine.copy.koridor"));

  // A player of players.toml comes first, and so does a file.
  const std::string match = "match " + game + " --a mine --b random --games 2 --visits 2";
  write_file_atomically(folder_ / "elsewhere/players.toml", "[mine]\nplayer = \"nobody\"\n");
  EXPECT_THAT(koridor(match).output, HasSubstr("unknown player \"nobody\""));
  write_file_atomically(folder_ / "elsewhere/mine", "no model");
  EXPECT_EQ(koridor(match).status, 2);
}

TEST_F(Recipes, TrainedModelsKeepTheirNamesBesideARun) {
  std::filesystem::create_directories(folder_ / "models/trained");
  std::filesystem::create_directories(folder_ / "elsewhere/run/models");
  const std::string game = "quoridor:3x3,walls=1";
  test::write_tiny_model(folder_ / "models/trained/mine.koridor", 1, game);
  test::write_tiny_model(folder_ / "elsewhere/run/models/gen-0000.koridor", 2, game);
  write_file_atomically(folder_ / "elsewhere/run/config.toml", to_toml(parse_config(test::kTinyConfig, "tiny")));
  const test::CommandResult rated = koridor("rate run --player mine");
  EXPECT_EQ(rated.status, 0) << rated.output;
  EXPECT_THAT(rated.output, AllOf(HasSubstr("\nmine,visits=4 "), Not(HasSubstr("models/trained"))));
  // A configuration knows no names.
  const test::CommandResult train = koridor("train mine --set 'rating.baselines=[\"mine\"]'");
  EXPECT_EQ(train.status, 2);
  EXPECT_THAT(train.output, AllOf(HasSubstr("rating.baselines: \"mine\" is the name of a trained model"),
                                  HasSubstr("models/trained/mine.koridor\"\n")));
  EXPECT_EQ(koridor("config mine --set 'rating.baselines=[\"mine\"]'").output, train.output);
}

TEST_F(Recipes, AModelOfSeveralGamesPlaysEachThatNoOtherLearnedAlone) {
  std::filesystem::create_directories(folder_ / "models/trained");
  Model model = *test::tiny_model(parse_game("quoridor:3x3,walls=1"));
  save_model((folder_ / "models/trained/b-alone.koridor").string(), model);
  model.info.games = {"quoridor:3x3,walls=1", "a-later-game:9x9", "quoridor:3x3,walls=2"};
  save_model((folder_ / "models/trained/a-several.koridor").string(), model);
  save_model((folder_ / "models/trained/c-several.koridor").string(), model);
  EXPECT_THAT(koridor("play quoridor:3x3,walls=1 </dev/null").output, HasSubstr("Player 2: b-alone"));
  EXPECT_THAT(koridor("play quoridor:3x3,walls=2 </dev/null").output, HasSubstr("Player 2: a-several"));
  EXPECT_EQ(koridor("play quoridor:3x3,walls=3 </dev/null").status, 2);
  EXPECT_THAT(koridor("inspect a-several").output,
              HasSubstr("of quoridor:3x3,walls=1 and a-later-game:9x9 and quoridor:3x3,walls=2"));
}

// It need not have learned the game: the same one on the next board is named first.
TEST_F(Recipes, AModelThatCanPlayAGameIsNamedWhereNoneLearnedIt) {
  std::filesystem::create_directories(folder_ / "models/trained");
  const auto said_of = [&](const std::string& game) {
    const test::CommandResult refused = koridor("play " + game + " </dev/null");
    EXPECT_EQ(refused.status, 2) << refused.output;
    return refused.output;
  };
  const auto none = [](const std::string& game) {
    return "koridor: no trained model of " + game + " comes with Koridor; ";
  };
  const std::string game = "quoridor:7x7,walls=6";
  const auto add = [&](const std::string& name, const char* learned) {
    test::write_tiny_model(folder_ / ("models/trained/" + name + ".koridor"), 1, learned);
  };
  add("a-go", "go:7x7");
  EXPECT_EQ(said_of(game), none(game) + "say who plays: --model FILE, or --seat1 PLAYER and so on\n");
  for (const auto& [name, learned] : {std::pair("b-kid", "quoridor-kid:7x7"), std::pair("c-small", "quoridor:3x3"),
                                      std::pair("d-large", "quoridor:9x9"), std::pair("e-next", "quoridor:5x5")}) {
    add(name, learned);
    if (name == std::string("e-next")) continue;
    EXPECT_EQ(said_of(game), none(game) + name + " can play it: --model " + name + ", or --seat1 PLAYER and so on\n");
  }
  EXPECT_THAT(said_of("quoridor:4x4"), HasSubstr("e-next can play it"));
  EXPECT_THAT(said_of("go:9x9"), HasSubstr("a-go can play it"));
  EXPECT_EQ(koridor("play " + game + " --model d-large </dev/null").status, 0);
}

}  // namespace
}  // namespace koridor
