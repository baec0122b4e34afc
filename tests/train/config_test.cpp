#include "train/run/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/error_of.h"
#include "train/run/setting_text.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

std::string parse_error(const std::string& toml, std::vector<std::string> settings = {}) {
  return error_of([&] { parse_config(toml, "test.toml", settings); });
}

TEST(Config, AnEmptyFileGivesTheDefaults) {
  const Config config = parse_config("", "test.toml");
  EXPECT_EQ(config.run.game, "quoridor");
  EXPECT_EQ(to_toml(config), to_toml(Config{}));
}

TEST(Config, EveryKeySurvivesWritingAndReading) {
  Config config;
  config.run.game = "quoridor:5x5,walls=3";
  config.run.seed = 123456789012345678;
  config.search.algorithm = "puct";
  config.search.c_puct = 0.1f;
  config.training.learning_rate = 1e-5;
  config.training.start_from = "a \"quoted\" \\ path";
  config.rating.baselines = {"random", "mcts"};
  config.features.distances = false;
  const Config read = parse_config(to_toml(config), "test.toml");
  EXPECT_EQ(to_toml(read), to_toml(config));
  EXPECT_EQ(read.run.seed, config.run.seed);
  EXPECT_EQ(read.training.start_from, config.training.start_from);
  EXPECT_EQ(config_hash(read), config_hash(config));
}

TEST(Config, RatesThatNobodyNamesAreThoseOfTheOptimiser) {
  const auto rates = [](const std::string& training) {
    const Config config = parse_config("[training]\n" + training, "test.toml");
    return std::pair(config.training.learning_rate, config.training.final_learning_rate);
  };
  EXPECT_EQ(rates(""), std::pair(0.012, 0.0003));
  EXPECT_EQ(rates("optimizer = \"adamw\"\n"), std::pair(0.002, 0.00005));
  EXPECT_EQ(rates("optimizer = \"sgd\"\nfinal_learning_rate = 0.001\n"), std::pair(0.02, 0.001));
  const auto [first, last] = rates("learning_rate = 1e-5\n");
  EXPECT_EQ(first, 1e-5);
  EXPECT_NEAR(last, 1e-5 / 40, 1e-15);
}

TEST(Config, TrainingThatCannotBeMeantIsRefusedForNewRuns) {
  TrainingConfig training;
  EXPECT_NO_THROW(check_training(training));
  training.final_learning_rate = 1;
  EXPECT_THROW(check_training(training), UserError);
  training = TrainingConfig{};
  training.learning_rate = 10;
  training.weight_decay = 0.5;
  EXPECT_THROW(check_training(training), UserError);
  training = TrainingConfig{};
  training.ema = 1;
  EXPECT_NO_THROW(check_training(training));
  training.start_from = "model.koridor";
  EXPECT_THROW(check_training(training), UserError);
  training = TrainingConfig{};
  for (auto& [name, weight] : training.weights) weight = 0;
  EXPECT_THROW(check_training(training), UserError) << "nothing would be learned";
}

TEST(Config, AMisspeltKeyIsNamedWithItsLineAndTheNearestValidOne) {
  EXPECT_EQ(parse_error("[selfplay]\n\nvistis = 3\n"),
            "test.toml:3: unknown key \"selfplay.vistis\"; did you mean \"selfplay.visits\"?");
  EXPECT_EQ(parse_error("[selfpaly]\nvisits = 3\n"),
            "test.toml:1: unknown section [selfpaly]; did you mean [selfplay]?");
  EXPECT_THAT(parse_error("games = 3\n"), HasSubstr("outside of a section"));
  for (const char* text : {"run = 3\n", "[[run]]\nseed = 3\n"}) {
    EXPECT_THAT(parse_error(text), HasSubstr(":1: \"run\" is a section: write [run] on a line of its own"));
  }
  // What a key's name is near to, and not its section's.
  EXPECT_THAT(parse_error("", {"training.zzzzzz=1"}), HasSubstr("\"training.zzzzzz\"; `koridor config` prints"));
  EXPECT_THAT(parse_error("", {"search.visits=1"}),
              HasSubstr("did you mean \"selfplay.visits\" or \"rating.visits\"?"));
  EXPECT_THAT(parse_error("", {"ema=1"}), HasSubstr("did you mean \"training.ema\"?"));
  EXPECT_THAT(parse_error("", {"trainig.emma=1"}), HasSubstr("did you mean \"training.ema\"?"));
}

TEST(Config, WhatIsWrongIsBlamedOnTheAssignmentThatSaysIt) {
  EXPECT_THAT(parse_error("[run]\ngame = \"quoridor\"\n", {"run.game=quoridr", "run.seed=3"}),
              HasSubstr("--set run.game=quoridr: run.game: unknown game 'quoridr'"));
  EXPECT_THAT(parse_error("[rating]\ngate = \"elo0=0,elo1=100\"\n", {"run.mode=continuous"}),
              HasSubstr("--set run.mode=continuous: run.mode"));
  EXPECT_THAT(parse_error("[run]\ngame = \"quoridr\"\n", {"run.seed=3"}), HasSubstr("test.toml: run.game: unknown"));
}

TEST(Config, AWrongTypeOrRangeIsRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(parse_error("[selfplay]\nvisits = \"many\"\n"),
            "test.toml:2: selfplay.visits must be an integer from 1 to 100000, not 'many'");
  EXPECT_THAT(parse_error("[selfplay]\nvisits = 0\n"), HasSubstr("from 1 to 100000"));
  EXPECT_THAT(parse_error("[selfplay]\nvisits = 2.5\n"), HasSubstr("must be an integer"));
  EXPECT_THAT(parse_error("[training]\nbf16 = 1\n"), HasSubstr("must be true or false"));
  EXPECT_THAT(parse_error("[training]\noptimizer = \"adam\"\n"), HasSubstr("one of \"muon\", \"adamw\""));
  EXPECT_THAT(parse_error("[rating]\nbaselines = [1]\n"), HasSubstr("a list of strings"));
  EXPECT_THAT(parse_error("[search]\nalgorithm = \"uct\"\n"), HasSubstr("\"puct\", \"gumbel\""));
  EXPECT_THAT(parse_error("[run]\ngame = \"chess\"\n"), HasSubstr("test.toml: run.game: "));
}

TEST(Config, SeveralGamesShareANetwork) {
  const Config config = parse_config("[run]\ngames = [\"quoridor:5x5,walls=3\", \"quoridor-kid\"]\n", "test.toml");
  EXPECT_EQ(config.run.game, "quoridor:5x5,walls=3");
  EXPECT_EQ(games_of(config).size(), 2u);
  EXPECT_EQ(games_of(parse_config("", "test.toml")).size(), 1u);
  EXPECT_THAT(parse_error("[run]\ngames = [\"quoridor\", \"quoridor4\"]\n"),
              HasSubstr("test.toml: run.games: quoridor and quoridor4 cannot share a network"));
  EXPECT_THAT(parse_error("[run]\ngames = [\"quoridor\", \"go:9x9\"]\n"), HasSubstr("cannot share a network"));
  std::string many;
  for (int plies = 100; plies < 165; ++plies) many += "\"quoridor:9x9,max_plies=" + std::to_string(plies) + "\", ";
  EXPECT_THAT(parse_error("[run]\ngames = [" + many + "]\n"),
              HasSubstr("names 65 boards, and a network learns at most 64"));
  EXPECT_THAT(parse_error("[run]\ngames = [\"quoridor\", \"quoridor:9x9\"]\n"), HasSubstr("is there twice"));
  EXPECT_THAT(parse_error("[run]\ngames = [\"quoridor\", \"chess\"]\n"), HasSubstr("run.games: unknown game"));
}

TEST(Config, BrokenTomlIsNamedWithItsPlace) {
  EXPECT_THAT(parse_error("[run\n"), HasSubstr("test.toml:1:"));
  EXPECT_THAT(parse_error("[run]\ngame = quoridor\n"), HasSubstr("text stands in quotes, as \"quoridor\""));
}

TEST(Config, AnIntegerServesWhereANumberIsAsked) {
  EXPECT_EQ(parse_config("[run]\nmax_minutes = 6\n", "t").run.max_minutes, 6.0);
}

TEST(Config, AGameSetTakesThePlaceOfSeveral) {
  const std::vector<std::string> settings = {"run.game=quoridor:7x7"};
  const Config config =
      parse_config("[run]\ngames = [\"quoridor:5x5,walls=3\", \"quoridor-kid\"]\n", "test.toml", settings);
  EXPECT_EQ(config.run.game, "quoridor:7x7");
  EXPECT_EQ(games_of(config).size(), 1u);
}

TEST(Config, SettingsOverrideTheFile) {
  const std::vector<std::string> settings = {"run.game=quoridor:5x5,walls=2", "selfplay.visits=9",
                                             "search.algorithm=puct", "rating.baselines=[\"random\"]",
                                             "training.start_from=\"x\""};
  const Config config = parse_config("[selfplay]\nvisits = 3\n", "t", settings);
  EXPECT_EQ(config.run.game, "quoridor:5x5,walls=2");
  EXPECT_EQ(config.selfplay.visits, 9);
  EXPECT_EQ(config.search.algorithm, "puct");
  EXPECT_EQ(config.rating.baselines, std::vector<std::string>{"random"});
  EXPECT_EQ(config.training.start_from, "x");
  EXPECT_THAT(parse_error("", {"selfplay.visits"}), HasSubstr("write it as key=value"));
  EXPECT_THAT(parse_error("", {"selfplay.visits=x y"}), HasSubstr("must be an integer"));
  EXPECT_THAT(parse_error("", {"selfplay.vists=3"}), HasSubstr("did you mean \"selfplay.visits\""));
}

TEST(Config, DevicesAreWordsThatNameOne) {
  EXPECT_THAT(parse_error("[selfplay]\ndevice = \"nonsense\"\n"), HasSubstr("selfplay.device must be auto, cpu, cuda"));
  EXPECT_THAT(parse_error("", {"training.device=gpu"}), HasSubstr("training.device must be auto, cpu, cuda"));
  EXPECT_EQ(parse_config("[training]\ndevice = \"cuda:3\"\n", "t").training.device, "cuda:3");
}

// The library destroys nested tables recursively, so 100,000 of them would end the process.
TEST(Config, DeepTablesAreRefused) {
  std::string dots;
  for (int i = 0; i < 100'000; ++i) dots += "a.";
  EXPECT_THAT(parse_error("[" + dots + "a]\n"), HasSubstr("test.toml:1: a line of 200003 bytes"));
  EXPECT_THAT(parse_error("[run]\n" + dots + "a = 1\n"), HasSubstr(":2: a line of"));
  EXPECT_THAT(parse_error("", {"run.seed={" + dots + "a = 1}"}), HasSubstr("a line of"));
  EXPECT_THAT(parse_error("", {"run.seed=1\nother = 2"}), HasSubstr("it sets more than one key"));
}

TEST(Config, ControlCharactersInStringsAreWrittenAsToml) {
  Config config;
  config.training.start_from = "a\x1b[31m\nb\x7f";
  const std::string text = to_toml(config);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(parse_config(text, "t").training.start_from, config.training.start_from);
}

TEST(Config, TheHashCoversWhatMustNotChangeInARun) {
  Config a;
  Config b;
  b.run.generations = 99;
  b.run.threads = 1;
  b.rating.games = 4;
  EXPECT_EQ(config_hash(a), config_hash(b));
  EXPECT_EQ(first_frozen_difference(a, b), "");
  b.run.seed = 2;
  EXPECT_NE(config_hash(a), config_hash(b));
  EXPECT_EQ(first_frozen_difference(a, b), "run.seed is 1 there and 2 here");
}

// Matches have a search of their own, whose settings may change in a run.
TEST(Config, TheSearchOfMatches) {
  const Config usual = parse_config("", "t");
  EXPECT_EQ(usual.match.algorithm, "auto");
  EXPECT_EQ(usual.match.gumbel_considered, 8);
  EXPECT_EQ(usual.match.gumbel_c_scale, 0.3f);
  EXPECT_EQ(usual.match.gumbel_visit_cap, 200.0f);
  EXPECT_EQ(usual.search.gumbel_visit_cap, kNoVisitCap);
  EXPECT_EQ(usual.search.gumbel_considered, 16);
  const Config config = parse_config("[match]\nalgorithm = \"puct\"\nc_puct = 2.5\n", "t");
  EXPECT_EQ(config.match.algorithm, "puct");
  EXPECT_EQ(config.match.c_puct, 2.5f);
  EXPECT_EQ(config.search.algorithm, "gumbel");
  EXPECT_EQ(config_hash(config), config_hash(usual));
  EXPECT_EQ(parse_config(to_toml(config), "t").match.c_puct, 2.5f);
  EXPECT_THAT(parse_error("[match]\ngumbel_considered = 0\n"), HasSubstr("match.gumbel_considered must be"));
}

TEST(Config, AnUnreadableFileIsNamed) {
  EXPECT_THAT(error_of([] { load_config("/nonexistent/x.toml"); }), HasSubstr("/nonexistent/x.toml"));
}

// A key that is at its default, such as one that a later version brings, does not count.
TEST(Config, TheHashDoesNotKnowDefaults) {
  EXPECT_EQ(config_hash(parse_config("", "t")), config_hash(Config{}));
  EXPECT_EQ(config_hash(Config{}), "0000000000000000");
  const Config some = parse_config("[training]\nbatch = 64\n", "t");
  EXPECT_EQ(config_hash(some), config_hash(parse_config("[training]\nbatch = 64\nema = 0.995\n", "t")));
  EXPECT_NE(config_hash(some), config_hash(Config{}));
}

TEST(Config, TheReferenceNamesEveryKeyAndReadsBackAsTheDefaults) {
  const std::string reference = config_reference();
  EXPECT_EQ(to_toml(parse_config(reference, "reference")), to_toml(Config{}));
  EXPECT_THAT(reference, HasSubstr("# simulations of a full search"));
  EXPECT_THAT(reference, HasSubstr("(an integer from 1 to 100000)"));
  std::istringstream lines(reference);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    EXPECT_LE(line.size(), 120u) << line;
    if (line.find(" = ") != std::string::npos && !line.starts_with("#")) {
      EXPECT_TRUE(before.starts_with("# ")) << line << " has no comment";
    }
  }
}

TEST(Config, TheSummaryShowsWhatARecipeChanges) {
  const std::string summary = config_summary(parse_config("[training]\nbatch = 64\n", "t"));
  EXPECT_THAT(summary, testing::ContainsRegex("\nbatch = 64 +# default: 256\n"));
  EXPECT_THAT(summary, HasSubstr("\nema = 0.995\n"));
}

TEST(Config, EveryTargetHasAWeight) {
  const Config config = parse_config("[training]\nreply_weight = 0.3\n", "t");
  EXPECT_EQ(config.training.weights.at("reply"), 0.3);
  EXPECT_EQ(signature_of(config).heads.back().name, "reply");
  EXPECT_EQ(signature_of(Config{}).heads, basic_heads());
}

// Files of before these were keys of their own mean what they meant.
TEST(Config, KeysThatWereOneKeyFollowIt) {
  const Config old = parse_config("[search]\nalgorithm = \"puct\"\n[training]\nauxiliary_weight = 0.3\n", "t");
  EXPECT_EQ(old.match.algorithm, "puct");
  EXPECT_EQ(old.training.weights.at("ownership"), 0.3);
  const Config now = parse_config(
      "[search]\nalgorithm = \"puct\"\n[match]\nalgorithm = \"gumbel\"\n"
      "[training]\nauxiliary_weight = 0.3\nownership_weight = 0.1\n",
      "t");
  EXPECT_EQ(now.match.algorithm, "gumbel");
  EXPECT_EQ(now.training.weights.at("ownership"), 0.1);
  EXPECT_EQ(to_toml(parse_config(to_toml(old), "t")), to_toml(old));
}

// Every recipe can be read, and repeats no key that is at its default.
TEST(Config, RecipesSayWhatIsTheirs) {
  int recipes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KORIDOR_CONFIGS)) {
    if (entry.path().extension() != ".toml") continue;
    ++recipes;
    const std::string path = entry.path().string();
    Config config;
    ASSERT_NO_THROW(config = load_config(path)) << path;
    Config none;
    SettingList keys;
    describe_settings(none, keys);
    std::istringstream lines(read_file(path));
    std::string section;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
      const std::size_t equals = line.find(" = ");
      if (equals == std::string::npos || line.starts_with("#")) continue;
      const auto found = std::ranges::find(keys.settings(), section + "." + line.substr(0, equals), &Setting::name);
      ASSERT_NE(found, keys.settings().end()) << line;
      const std::string value = line.substr(equals + 3, line.find(" #") - equals - 3);
      EXPECT_NE(value.substr(0, value.find_last_not_of(' ') + 1), value_text(*found)) << path << ": " << line;
    }
  }
  EXPECT_GE(recipes, 3);
}

TEST(Config, AContinuousLoopGoesWithOneBoardAndWithoutAGate) {
  EXPECT_EQ(parse_error("", {"run.mode=continuous"}), "no error");
  EXPECT_THAT(parse_error("", {"run.mode=continuous", "rating.gate=elo0=0,elo1=35"}), HasSubstr("rating.gate"));
  EXPECT_THAT(parse_error("", {"run.mode=continuous", "run.games=[\"quoridor:5x5,walls=3\",\"quoridor:7x7,walls=3\"]"}),
              HasSubstr("run.games names several"));
  EXPECT_THAT(parse_error("", {"run.mode=all"}), HasSubstr("continuous"));
  EXPECT_EQ(config_hash(parse_config("", "test")),
            config_hash(parse_config("", "test", std::vector<std::string>{"run.mode=continuous"})))
      << "a run may go on in the other way";
}

TEST(Config, OpponentsAreClassicalPlayers) {
  const auto read = [](const std::string& opponents) {
    return parse_config("[selfplay]\nopponents = " + opponents, "test.toml").selfplay.opponents;
  };
  EXPECT_THAT(read("[\"random\", \"greedy\", \"alphabeta:2\"]"), ::testing::SizeIs(3));
  for (const char* wrong : {"alphabeta", "alphabeta:0", "alphabeta:9", "mcts", "", "Random"}) {
    EXPECT_THAT(error_of([&] { read("[\"greedy\", \"" + std::string(wrong) + "\"]"); }),
                HasSubstr("test.toml:2: selfplay.opponents must be a list of strings, each random, greedy or "
                          "alphabeta:1 to alphabeta:8, not [ 'greedy', '" +
                          std::string(wrong)));
  }
  EXPECT_EQ(config_hash(parse_config("", "test")), config_hash(parse_config("[selfplay]\nopponents = []", "test")))
      << "older runs go on";
}

}  // namespace
}  // namespace koridor
