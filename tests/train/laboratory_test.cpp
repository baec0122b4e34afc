// What `koridor compare` counts, asks for and concludes.
#include "train/run/laboratory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/table.h"
#include "core/registry.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "train/run/comparison.h"
#include "train/run/config.h"
#include "train/run/encounter.h"
#include "train/run/lab_results.h"
#include "train/run/rating.h"
#include "train/run/recipe.h"
#include "train/run/run_directory.h"
#include "train/run/seed_statistics.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Recipes, OnlyFoldersOfComparisonsAreTaken) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  EXPECT_NO_THROW(refuse_other_folder(out)) << "a new one";
  for (const char* file : {"lock", "matches.json", "compare.svg", "a/seed-1/config.toml", "b/seed-2/lock",
                           "b/cross-matches.json", "b/plot.svg", "cross-matches.json"}) {
    write_file_atomically(out / file, "x");
  }
  EXPECT_NO_THROW(refuse_other_folder(out));
  write_file_atomically(out / "a" / "thesis.txt", "x");
  EXPECT_THAT(error_of([&] { refuse_other_folder(out); }),
              HasSubstr("a: this folder holds other files than those of a recipe of a comparison, as thesis.txt"));
  EXPECT_THAT(error_of([&] { refuse_other_folder(out / "a" / "seed-1"); }), HasSubstr("as config.toml")) << "a run";
}

TEST(SeedStatistics, HaveIntervalsByStudentsT) {
  // The table in every book.
  EXPECT_NEAR(t_quantile(1), 12.706, 0.001);
  EXPECT_NEAR(t_quantile(2), 4.303, 0.001);
  EXPECT_NEAR(t_quantile(4), 2.776, 0.001);
  EXPECT_NEAR(t_quantile(30), 2.042, 0.001);
  const MeanOverSeeds mean = mean_over_seeds(std::vector<double>{1, 2, 6});
  EXPECT_DOUBLE_EQ(mean.mean, 3);
  EXPECT_NEAR(mean.error.value(), 4.3027 * std::sqrt(7.0 / 3), 0.001);
  EXPECT_FALSE(mean_over_seeds(std::vector<double>{5}).error);

  EXPECT_EQ(verdict_of({.mean = 5, .error = 4}, 3), Verdict::better);
  EXPECT_EQ(verdict_of({.mean = 5, .error = 4}, 3, false), Verdict::worse) << "of a loss";
  EXPECT_EQ(verdict_of({.mean = -5, .error = 4}, 3), Verdict::worse);
  EXPECT_EQ(verdict_of({.mean = -5, .error = 6}, 3), Verdict::undecided);
  EXPECT_EQ(verdict_of({.mean = 99}, 0), Verdict::undecided) << "one seed says nothing of another";
  EXPECT_EQ(verdict_of({.mean = 5, .error = 0}, 6), Verdict::undecided) << "seeds that agree by chance";
  EXPECT_EQ(verdict_of({.mean = 5, .error = 0}, 0), Verdict::undecided);
}

TEST(Recipes, AreReadAsTheyAreTyped) {
  const RecipeText plain = read_recipe("configs/quickstart.toml");
  EXPECT_EQ(plain.file, "configs/quickstart.toml");
  EXPECT_EQ(plain.label, "quickstart");
  const RecipeText variant = read_recipe("a.toml,training.ema=0,network.channels=16");
  EXPECT_EQ(variant.settings, (std::vector<std::string>{"training.ema=0", "network.channels=16"}));
  EXPECT_EQ(variant.label, "ema=0+channels=16");
  EXPECT_EQ(read_recipe("a,label=mine,training.ema=0").label, "mine");
  const RecipeText lists =
      read_recipe("a,label=x,run.game=quoridor:5x5,walls=3,rating.baselines=[\"random\",\"greedy\"]");
  EXPECT_EQ(lists.settings,
            (std::vector<std::string>{"run.game=quoridor:5x5,walls=3", "rating.baselines=[\"random\",\"greedy\"]"}));
  EXPECT_THAT(error_of([] { read_recipe("a,ema"); }), HasSubstr("\"ema\" is no assignment"));
  EXPECT_THAT(error_of([] { read_recipe(",x=1"); }), HasSubstr("names no configuration"));
  EXPECT_THAT(error_of([] { read_recipe("a,label=../b"); }), HasSubstr("cannot be the name of a folder"));
  EXPECT_THAT(error_of([] { read_recipe("a,label=matches.json"); }), HasSubstr("has a file matches.json"));
  EXPECT_THAT(error_of([] { read_recipe("configs/lock.toml"); }), HasSubstr("has a file lock"));
  EXPECT_THAT(error_of([] { read_recipe("a,label=cross-matches.json"); }), HasSubstr("has a file cross-matches.json"));
  EXPECT_THAT(error_of([] { read_recipe("a,training.ema=0,training.ema=0.5"); }),
              HasSubstr("training.ema is given twice"));
  EXPECT_THAT(error_of([] { read_recipe("a,run.seed=3"); }), HasSubstr("--seeds gives each run its own"));
}

TEST(Recipes, AreOfOneGameAndEndByTheirCost) {
  const TemporaryFolder folder;
  const std::string file = folder.file("base.toml");
  write_file_atomically(file, "[run]\ngame = \"quoridor:3x3,walls=1\"\ngenerations = 3\nmax_minutes = 2\n");
  const auto load = [&](std::vector<std::string> texts, std::vector<std::string> settings = {}) {
    return load_recipes(texts, {.settings = std::move(settings), .budget = 60});
  };
  const std::vector<Recipe> recipes = load({file, file + ",label=b,training.ema=0"}, {"training.batch=64"});
  ASSERT_EQ(recipes.size(), 2u);
  EXPECT_EQ(recipes[0].config.run.max_cost, 60);
  EXPECT_EQ(recipes[0].config.run.max_minutes, 0);
  EXPECT_GT(recipes[0].config.run.generations, 10000);
  EXPECT_EQ(recipes[1].config.training.batch, 64);
  EXPECT_EQ(recipes[1].config.training.ema, 0);
  EXPECT_EQ(config_of(recipes[1], 7).run.seed, 7u);
  EXPECT_THAT(error_of([&] { load({file, file}); }), HasSubstr("two recipes are called base"));
  EXPECT_THAT(error_of([&] { load({file}, {"rating.baselines=[]"}); }), HasSubstr("rating.baselines is empty"));
  EXPECT_THAT(error_of([&] { load({file, file + ",run.game=quoridor:3x3,walls=2"}); }), HasSubstr("same game"));
  EXPECT_THAT(error_of([&] { load({file + ",training.emma=0"}); }),
              AllOf(StartsWith("recipe \"" + file + ",training.emma=0\": "), HasSubstr("training.ema")));
  EXPECT_THAT(error_of([&] { load({file + ",training.start_from=x.koridor"}); }), HasSubstr("trains from nothing"));
}

TEST(LabPoints, AreTheFirstGenerationsThatReachTheirShare) {
  const std::vector<LabPoint> points = lab_points({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101}, 100);
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0].generation, 2);
  EXPECT_EQ(points[1].generation, 4);
  EXPECT_EQ(points[4].generation, 10);
  EXPECT_EQ(points[4].cost, 101);
  EXPECT_TRUE(lab_points({0, 10, 99}, 100).empty()) << "the budget is not reached";
  // Large generations are several points at once: the last counts.
  const std::vector<LabPoint> few = lab_points({0, 55, 110}, 100);
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few[0].number, 2);
  EXPECT_EQ(few[1].number, 5);
}

// Runs of so many recipes and seeds with a generation per point.
std::vector<LabRun> lab_runs_of(int recipes, int seeds) {
  std::vector<LabRun> runs;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (int recipe = 0; recipe < recipes; ++recipe) {
      const std::string label = std::to_string(recipe) + "/seed-" + std::to_string(seed);
      LabRun& run =
          runs.emplace_back(LabRun{static_cast<std::size_t>(recipe), seed, {RunDirectory(label), Config{}, label}});
      for (int point = 1; point <= kLabPoints; ++point) run.points.push_back({point, point, 20.0 * point});
    }
  }
  return runs;
}

std::set<std::string> names_of(const std::vector<LabRun>& runs) {
  std::set<std::string> names;
  const auto name = [&](const CrossSide& side) {
    return side.player.empty() ? runs[side.run].run.label + "/" + std::to_string(side.generation) : side.player;
  };
  for (const CrossMatch& match : lab_schedule(runs, {"random", "greedy"})) {
    std::string a = name(match.a);
    std::string b = name(match.b);
    EXPECT_NE(a, b);
    if (b < a) std::swap(a, b);
    EXPECT_TRUE(names.insert(a + " " + b).second) << a << " " << b << " is there twice";
  }
  return names;
}

TEST(LabSchedule, GrowsByWhatIsNewAndDropsNothing) {
  const std::set<std::string> two = names_of(lab_runs_of(2, 3));
  EXPECT_TRUE(two.contains("0/seed-1/5 1/seed-1/5"));
  EXPECT_TRUE(two.contains("0/seed-1/2 1/seed-1/2"));
  EXPECT_TRUE(two.contains("0/seed-2/5 1/seed-1/5"));
  EXPECT_TRUE(two.contains("0/seed-1/5 0/seed-2/5"));
  EXPECT_TRUE(two.contains("0/seed-3/3 greedy"));
  EXPECT_FALSE(two.contains("0/seed-1/5 1/seed-3/5"));
  EXPECT_EQ(two.size(), 7u + 4 + 2 * 3 * 4 + 3 * 4 + 2 * 3 * 5 * 2);
  for (const auto& more : {names_of(lab_runs_of(3, 3)), names_of(lab_runs_of(2, 4))}) {
    for (const std::string& match : two) EXPECT_TRUE(more.contains(match)) << match;
  }
}

// Recipes that change nothing have byte-equal models, which play once.
TEST(LabTables, EqualModelsHaveOneRating) {
  const TemporaryFolder folder;
  std::vector<LabRun> runs = lab_runs_of(3, 1);
  std::vector<LabelledRun> labelled;
  for (LabRun& run : runs) {
    run.run.directory = RunDirectory(folder.path() / run.run.label);
    write_file_atomically(run.run.directory.model(5), run.recipe == 2 ? "other" : "same");
    labelled.push_back(run.run);
  }
  const AnyGame game = games_of(Config{}).front();
  const std::string choice = match_choice_text(Config{}.match, Config{}.rating.visits, game, Evaluation{});
  EXPECT_NE(choice.find("\nalgorithm=\"puct\""), std::string::npos) << "and not auto: " << choice;
  std::string a = file_hash(runs[0].run.directory.model(5).string(), choice);
  std::string b = file_hash(runs[2].run.directory.model(5).string(), choice);
  const int wins = a < b ? 9 : 1;
  if (b < a) std::swap(a, b);
  const nlohmann::json match = {{"a", a},     {"b", b},       {"game", name_of(game)}, {"players", 2},
                                {"draws", 0}, {"wins", wins}, {"losses", 10 - wins}};
  write_json(folder.path() / "matches.json", {{"cross_matches", {match}}});
  const Comparison comparison(
      labelled,
      {.games = 10, .store = folder.path() / "matches.json", .matches = {{{0, 5}, {2, 5}}, {{1, 5}, {2, 5}}}});
  EXPECT_EQ(comparison.missing(), 0);
  const LabMeasure elo = elo_measure(runs, comparison.table());
  ASSERT_TRUE(elo.value(0, 5) && elo.value(1, 5));
  EXPECT_EQ(*elo.value(0, 5), *elo.value(1, 5));
  EXPECT_GT(*elo.value(0, 5), *elo.value(2, 5));
  for (const std::string damaged : {"{", R"({"cross_matches": [{}]})"}) {
    write_file_atomically(folder.path() / "matches.json", damaged);
    EXPECT_THAT(error_of([&] { comparison.missing(); }), HasSubstr("remove it, and its matches are played again"));
    EXPECT_THAT(error_of([&] { check_cross_matches(folder.path() / "matches.json"); }), HasSubstr("damaged"));
  }
}

// All runs lean on one that met the baseline, with few games: they share its error, which no number of seeds makes
// smaller, and which is in no difference.
TEST(LabTables, TheErrorOfTheBaselineCancelsInDifferences) {
  const std::vector<LabRun> runs = lab_runs_of(2, 2);
  const auto drawn = [](const std::string& a, const std::string& b, int games) {
    Encounter encounter{.a = a, .b = b, .game = "quoridor", .players = 2};
    encounter.score.games = encounter.score.draws = games;
    return encounter;
  };
  std::vector<Encounter> encounters{drawn("0/seed-1", "random", 20)};
  for (const auto& [a, b] : {std::pair("0/seed-1", "1/seed-1"),
                             {"0/seed-2", "1/seed-2"},
                             {"0/seed-1", "0/seed-2"},
                             {"1/seed-1", "1/seed-2"}}) {
    encounters.push_back(drawn(a, b, 200));
  }
  const auto player_of = [](const std::string& name) {
    return name == "random" ? PlayerOfRun{} : PlayerOfRun{name, kLabPoints};
  };
  const std::vector<LabMeasure> measures{elo_measure(runs, rated_players(encounters, {"random"}, 1, player_of))};
  const std::vector<Recipe> recipes{{"base"}, {"variant"}};
  // With the game of the prior these are conductances of 21/4 and 201/4. The mean of the base's two runs has a variance
  // of 1 / 5.25 + (3/4 / 50.25) / 4, and that of the two differences one of 1 / 100.5.
  EXPECT_THAT(lab_table(recipes, runs, measures).text(), HasSubstr("+-150"));
  EXPECT_THAT(lab_verdicts(recipes, runs, measures).text(), HasSubstr("+-34 against base"));
}

// A baseline that searches with the visits of a run's rating is another player in a run that rates with others.
TEST(Comparison, BaselinesHaveTheVisitsOfTheirRun) {
  const TemporaryFolder folder;
  std::vector<LabelledRun> runs;
  for (const int visits : {32, 64}) {
    Config config;
    config.rating.visits = visits;
    config.rating.baselines = {"old.koridor", "old.koridor,visits=8", "gone.toml:old", "mcts", "random"};
    runs.push_back({RunDirectory(folder.path() / std::to_string(visits)), config, std::to_string(visits)});
  }
  EXPECT_THAT(Comparison(runs, {}).baselines(),
              testing::ElementsAre("old.koridor,visits=64", "mcts:64", "old.koridor,visits=32", "old.koridor,visits=8",
                                   "gone.toml:old", "mcts:32", "random"));
}

// One model in two precisions is two players; "mcts" and the same with the visits of the rating are one.
TEST(Comparison, TellsPlayersApartByHowTheyPlay) {
  const TemporaryFolder folder;
  const std::string model = (folder.path() / "at@home.koridor").string();
  write_file_atomically(model, "a model");
  const auto players_of = [&](const std::vector<std::string>& baselines) {
    Config config;
    config.rating.baselines = baselines;
    const std::vector<LabelledRun> runs{{RunDirectory(folder.path() / "run"), config, "run"}};
    write_file_atomically(runs[0].directory.model(5), "the run's");
    std::vector<CrossMatch> matches;
    for (const std::string& baseline : baselines) matches.push_back({{0, 5}, {.player = baseline}});
    return Comparison(runs, {.games = 10, .store = folder.path() / "matches.json", .matches = matches}).missing();
  };
  EXPECT_EQ(players_of({model + "@int8", model + "@f32"}), 2);
  EXPECT_EQ(players_of({model, model + "@f32", model + ",visits=8"}), 3);
  EXPECT_EQ(players_of({model + "@f32", model + "@f32"}), 1);
}

TEST(Laboratory, RefusesARunThatLearntUnderAnotherGate) {
  const TemporaryFolder folder;
  Recipe recipe{"base", parse_config("", "test", std::vector<std::string>{"rating.gate=elo0=0,elo1=35"})};
  const auto start = [&] { Laboratory({recipe}, {.folder = folder.path(), .programs = {}, .seeds = 1, .budget = 9}); };
  write_file_atomically(RunDirectory(folder.path() / "base" / "seed-1").config(), to_toml(config_of(recipe, 1)));
  EXPECT_EQ(error_of(start), "no error");
  const Config learnt = recipe.config;
  const auto refusal_of = [&](const std::string& setting) {
    recipe.config = parse_config(to_toml(learnt), "test", std::vector<std::string>{setting});
    return error_of(start);
  };
  EXPECT_THAT(refusal_of("rating.gate_games=800"), HasSubstr("rating.gate_games is 400 there and 800 here"));
  EXPECT_THAT(refusal_of("rating.visits=65"), HasSubstr("rating.visits is 64 there and 65 here"));
  EXPECT_THAT(refusal_of("rating.openings=even.txt"), HasSubstr("rating.openings is"));
  EXPECT_THAT(refusal_of("rating.opening_plies=3"), HasSubstr("rating.opening_plies is"));
  EXPECT_THAT(refusal_of("match.algorithm=puct"), HasSubstr("match.algorithm is"));
  EXPECT_EQ(refusal_of("rating.games=20"), "no error") << "no gate plays these";
  EXPECT_EQ(refusal_of("run.ahead=3"), "no error") << "which means nothing in step";
  recipe.config = learnt;
  recipe.config.rating.gate = "";
  write_file_atomically(RunDirectory(folder.path() / "base" / "seed-1").config(), to_toml(config_of(recipe, 1)));
  recipe.config.run.mode = "continuous";
  EXPECT_THAT(error_of(start), HasSubstr("was trained with run.mode = \"step\""));
  write_file_atomically(RunDirectory(folder.path() / "base" / "seed-1").config(), to_toml(config_of(recipe, 1)));
  EXPECT_EQ(error_of(start), "no error");
  recipe.config.run.ahead = 7;
  EXPECT_THAT(error_of(start), HasSubstr("run.ahead = 2, not \"continuous\" and 7"));
  recipe.config = learnt;
  write_file_atomically(RunDirectory(folder.path() / "base" / "seed-1").config(), to_toml(config_of(recipe, 1)));
  recipe.config = learnt;
  recipe.config.rating.gate = "";
  EXPECT_THAT(error_of(start), HasSubstr("rating.gate is"));
}

TEST(Laboratory, RefusesARecipeThatCannotBeTrainedBeforeAnyIs) {
  const TemporaryFolder folder;
  const auto start = [&](const std::vector<std::string>& settings) {
    const Recipe base{"base", parse_config("", "test")};
    const Recipe other{"other", parse_config("", "test", settings)};
    return error_of([&] { Laboratory({base, other}, {.folder = folder.path(), .programs = {}, .seeds = 1}); });
  };
  EXPECT_EQ(start({"training.learning_rate=1e-5"}), "no error");
  EXPECT_THAT(start({"training.final_learning_rate=1"}),
              AllOf(StartsWith("recipe \"other\": "), HasSubstr("is above training.learning_rate")));
  EXPECT_THAT(start({"selfplay.backend=eigen", "selfplay.device=cuda"}),
              AllOf(StartsWith("recipe \"other\": selfplay: "), HasSubstr("computes on the CPU")));
}

// What is measured is no part of what is learnt.
TEST(Laboratory, MeasuresAllRunsAlikeAndLeavesGatesAsTheyAre) {
  const TemporaryFolder folder;
  const auto recipe_with = [](const std::string& label, const std::vector<std::string>& settings) {
    return Recipe{label, parse_config("", "test", settings)};
  };
  const Recipe base = recipe_with("base", {"rating.visits=16", "rating.openings=even.txt"});
  const Recipe gated = recipe_with("gated", {"rating.gate=elo0=0,elo1=35", "rating.visits=8", "rating.games=6"});
  const Recipe plain = recipe_with("plain", {"rating.visits=8", "rating.gate_games=64"});
  for (const int visits : {0, 2}) {
    const Laboratory laboratory({base, gated, plain},
                                {.folder = folder.path(), .programs = {}, .seeds = 1, .budget = 9, .visits = visits});
    for (const LabRun& run : laboratory.runs()) {
      EXPECT_EQ(run.run.config.rating.visits, visits > 0 ? visits : 16);
      EXPECT_EQ(run.run.config.rating.openings, "even.txt");
      EXPECT_EQ(run.run.config.rating.games, 40);
    }
    EXPECT_EQ(laboratory.recipes()[1].config.rating.visits, 8);
    EXPECT_EQ(laboratory.recipes()[1].config.rating.openings, "");
    EXPECT_EQ(laboratory.recipes()[1].config.rating.gate, "elo0=0,elo1=35");
    EXPECT_EQ(laboratory.recipes()[2].config.rating.visits, visits > 0 ? visits : 16);
    EXPECT_EQ(laboratory.recipes()[2].config.rating.gate_games, 64);
  }
  const Laboratory first({gated, base}, {.folder = folder.path(), .programs = {}, .seeds = 1, .budget = 9});
  EXPECT_EQ(first.recipes()[1].config.rating.gate, "") << "no gate comes from the base";
}

TEST(LabTables, SayWhatIsDecided) {
  const std::vector<LabRun> runs = lab_runs_of(2, 3);
  const std::vector<Recipe> recipes{{"base"}, {"variant"}};
  LabMeasure elo{.name = "elo", .title = "Elo", .heading = "Elo", .format = "{:.0f}"};
  elo.value = [&](std::size_t run, int generation) -> std::optional<double> {
    // The seeds differ far more than the recipes do on each of them.
    const int seed = runs[run].seed;
    return 100.0 * generation + 100 * seed + (runs[run].recipe == 1 ? -20 - seed : 0);
  };
  elo.error = [](std::size_t, int) { return 12.0; };
  LabMeasure unknown{.name = "kept", .title = "kept", .heading = "kept", .format = "{:.1f}%"};
  unknown.value = [](std::size_t, int) { return std::optional<double>(); };
  const std::vector<LabMeasure> measures{elo, unknown};
  const Table table = lab_table(recipes, runs, measures);
  ASSERT_EQ(table.rows().size(), 10u);
  EXPECT_THAT(table.text(), HasSubstr("base        100%     100    3     700   +-248     +-7"));
  EXPECT_THAT(table.text(), testing::Not(HasSubstr("kept")));
  // Three seeds with differences of 21 to 23 have an interval of 2: their own error is larger.
  EXPECT_EQ(lab_verdicts(recipes, runs, measures).text(), "variant: Elo -22 +-10 against base: worse\n");
  LabMeasure shared = elo;
  shared.shared_error = true;
  EXPECT_THAT(lab_table(recipes, runs, {shared}).text(), HasSubstr("+-248    +-12")) << "a mean has no smaller one";
  EXPECT_EQ(lab_verdicts(recipes, runs, {shared}).text(), "variant: Elo -22 +-17 against base: worse\n");
  EXPECT_EQ(lab_runs(recipes, runs, measures).rows().size(), 30u);
  const std::vector<LabRun> single = lab_runs_of(2, 1);
  EXPECT_THAT(lab_verdicts(recipes, single, measures).text(), HasSubstr("undecided, since one seed"));
}

}  // namespace
}  // namespace koridor
