// The ratings of a run: the matches in their files, damaged ones among them, and the table of Elo by them.
#include "train/run/rating.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/matches/elo.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/encounter.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

json match(const std::string& a, const std::string& b) {
  return {{"a", a}, {"b", b}, {"game", "quoridor"}, {"players", 2}, {"wins", 3}, {"draws", 0}, {"losses", 1}};
}

TEST(Ratings, ADamagedFileIsNamedAndDueAgain) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  const Config config = parse_config("", "test");
  const Ratings ratings(run, config);
  write_file_atomically(run.model(0), "");
  const json good = {{"generation", 0}, {"visits", 4}, {"matches", {match("gen-0000", "random")}}};
  write_json(run.rating(0), good);
  EXPECT_FALSE(ratings.due(0));
  EXPECT_EQ(ratings.table().size(), 2u);
  std::string digit = read_file(run.rating(0));
  digit[digit.find("\"wins\": 3") + 8] = '4';
  write_file_atomically(run.rating(0), digit);
  EXPECT_THAT(error_of([&] { ratings.table(); }), AllOf(HasSubstr("gen-0000.json"), HasSubstr("checksum")));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(ratings.due(0));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("played again"));
  // Files without a checksum, as older versions wrote them, are checked in full.
  write_file_atomically(run.rating(0), good.dump());
  EXPECT_EQ(ratings.table().size(), 2u);
  for (const char* change : {R"({"wins": "3"})", R"({"wins": -1})", R"({"a": "gen-0001"})", R"({"a": 7})",
                             R"({"players": 9})", R"({"wins": 4e9})", R"({"more": 1})", R"({"b": "gen-0000"})"}) {
    json bad = good;
    bad["matches"][0].update(json::parse(change));
    write_file_atomically(run.rating(0), bad.dump());
    EXPECT_THAT(error_of([&] { ratings.table(); }), HasSubstr("gen-0000.json: damaged")) << change;
  }
  for (const char* text : {"", "[]", "{}", R"({"generation": 0})", R"({"generation": 0, "matches": {"a": 1}})"}) {
    write_file_atomically(run.rating(0), text);
    EXPECT_THAT(error_of([&] { ratings.table(); }), HasSubstr("gen-0000.json: damaged")) << text;
  }
}

TEST(Ratings, PairsOfGamesMakeTheIntervalNarrower) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  const Ratings ratings(run, parse_config("", "test"));
  write_file_atomically(run.model(0), "");
  const auto error = [&](const json& groups) {
    json games = match("gen-0000", "random");
    games.update({{"wins", 20}, {"losses", 20}});
    if (!groups.is_null()) games["groups"] = groups;
    write_json(run.rating(0), {{"generation", 0}, {"matches", {games}}});
    for (const RatedPlayer& player : ratings.table()) {
      if (player.generation < 0) return player.error + player.fit->ratings.at(0).error95;
    }
    return 0.0;
  };
  const double independent = error(nullptr);
  EXPECT_NEAR(error(json::parse("[[0.0, 5], [0.5, 10], [1.0, 5]]")), independent, 0.1);
  EXPECT_LT(error(json::parse("[[0.5, 20]]")), 0.5 * independent);
  EXPECT_GT(error(json::parse("[[0.0, 10], [1.0, 10]]")), 1.2 * independent);
  EXPECT_NEAR(error(json::parse("[[0.0, 20], [1.0, 20]]")), independent, 1.0);  // from one seat, each game by itself
  for (const char* wrong : {"[]", "{}", "3", "[[0.5]]", "[[0.5, 19]]", "[[0.5, -20]]", "[[1.5, 20]]", "[[0.5, 20.0]]",
                            R"([["0.5", 20]])", "[[0.5, 20], [1.0, 1]]", "[[0.5, 18446744073709551615]]"}) {
    EXPECT_THAT(error_of([&] { error(json::parse(wrong)); }), HasSubstr("gen-0000.json: damaged")) << wrong;
  }
}

TEST(Ratings, AnEncounterKeepsItsGroups) {
  Encounter encounter{.a = "gen-0000", .b = "random", .game = "quoridor4", .players = 4, .score = {12, 3, 0, 9}};
  encounter.groups = GroupScores(4);
  encounter.groups.add(0.0);
  encounter.groups.add(0.25);
  encounter.groups.add(0.5);
  const auto read = read_encounter(json::parse(encounter_json(encounter).dump()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->groups, encounter.groups);
  EXPECT_DOUBLE_EQ(dispersion(*read), dispersion(encounter.groups, 4));
}

// As `koridor rate --player` plays matches against what the run's own ratings have met already.
TEST(Ratings, AShareIsOfAllGamesAgainstABaseline) {
  const auto encounter = [](const char* game, int wins, int losses) {
    return Encounter{.a = "gen-0000", .b = "random", .game = game, .score = {wins + losses, wins, 0, losses}};
  };
  const std::vector<Encounter> encounters = {encounter("quoridor", 3, 1), encounter("quoridor", 10, 2),
                                             encounter("quoridor:5x5", 1, 3)};
  const std::vector<RatedPlayer> table = rated_players(encounters, {"random"}, 2, [](const std::string& name) {
    return name == "random" ? PlayerOfRun{} : PlayerOfRun{.run = "", .generation = 0};
  });
  EXPECT_DOUBLE_EQ(table.at(0).score.at("random"), 0.5 * (13.0 / 16 + 1.0 / 4));
}

// Cross matches are kept in the order of the players' identities, by which a baseline may be the first.
TEST(Ratings, AShareDoesNotDependOnWhoseNameIsFirst) {
  const auto encounter = [](const char* a, const char* b, int wins, int draws, int losses) {
    return Encounter{.a = a, .b = b, .game = "quoridor", .score = {wins + draws + losses, wins, draws, losses}};
  };
  const auto share = [](std::vector<Encounter> encounters) {
    const std::vector<RatedPlayer> table = rated_players(encounters, {"x"}, 1, [](const std::string& name) {
      return name == "x" ? PlayerOfRun{} : PlayerOfRun{.run = "", .generation = 0};
    });
    return table.at(0).score.at("x");
  };
  EXPECT_DOUBLE_EQ(share({encounter("gen-0000", "x", 4, 0, 0), encounter("x", "gen-0000", 1, 1, 2)}), 6.5 / 8);
  EXPECT_DOUBLE_EQ(share({encounter("x", "gen-0000", 3, 0, 1)}), 0.25);
}

// One of three others lost every game by a fault, so that the player has a third of each point, not the quarter of a
// draw: it is ahead.
TEST(Ratings, SharesOfPointsAreNotDraws) {
  Encounter encounter{.a = "gen-0000", .b = "random", .game = "quoridor4", .players = 4, .score = {400, 0, 400, 0}};
  const auto player = [&] {
    const auto player_of = [](const std::string& name) {
      return name == "random" ? PlayerOfRun{} : PlayerOfRun{.run = "", .generation = 0};
    };
    return rated_players(std::vector{encounter}, {"random"}, 1, player_of).at(0);
  };
  EXPECT_NEAR(player().elo, 0, 0.1);
  EXPECT_DOUBLE_EQ(player().score.at("random"), 0.25);
  encounter.groups = GroupScores(4);
  encounter.groups.add(1.0 / 3, 100);
  EXPECT_NEAR(player().elo, elo_difference(1.0 / 3, 4), 1.0);
  EXPECT_NEAR(player().score.at("random"), 1.0 / 3, 1e-6);
}

// Results are used again where all that they depend on is the same.
TEST(Ratings, AChoiceNamesAnotherPrecision) {
  const Config config;
  const AnyGame game = games_of(config).front();
  const auto text = [&](const char* backend, const char* precision) {
    const Evaluation evaluation{.backend = backend, .precision = precision};
    return match_choice_text(config.match, config.rating.visits, game, evaluation);
  };
  const std::string usual = text(default_backend().c_str(), "auto");
  EXPECT_NE(text(default_backend().c_str(), "f32"), usual);
  EXPECT_NE(text("uniform", "auto"), usual);
}

// A file beside the run may have the name that the run would give it.
TEST(Ratings, ABaselineWithTheNameOfAModelIsNoGeneration) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  write_file_atomically(run.model(0), "");
  write_json(run.rating(0), {{"generation", 0}, {"matches", {match("gen-0000", "gen-0010.koridor")}}});
  const std::vector<std::string> settings = {"rating.baselines=[\"gen-0010.koridor\"]"};
  const std::vector<RatedPlayer> table = Ratings(run, parse_config("", "test", settings)).table();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].name, "gen-0000");
  EXPECT_EQ(table[1].generation, -1);
  EXPECT_EQ(table[0].score.at("gen-0010.koridor"), 0.75);
  EXPECT_EQ(RunDirectory::generation_of("gen-0010"), 10);
  EXPECT_EQ(RunDirectory::generation_of("gen-12345"), 12345);
  for (const char* text : {"gen-10", "gen-00010", "gen--001", "gen-0010.koridor", "gen-", "gen-99999999999", ""}) {
    EXPECT_EQ(RunDirectory::generation_of(text), std::nullopt) << text;
  }
}

TEST(Ratings, ADamagedFileIsNamedInOneLineWhateverItsFolderIsCalled) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "\033[31mred");
  write_file_atomically(run.rating(0), "[");
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(Ratings(run, parse_config("", "test")).due(0));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("\\x1b[31mred/ratings/gen-0000.json: damaged"), ::testing::Not(HasSubstr("\033"))));
}

class PlayedRatings : public testing::Test {
 protected:
  PlayedRatings() {
    save_run_config(run_, config({}));
    fs::create_directories(run_.model(0).parent_path());
    for (int generation = 0; generation < 2; ++generation) test::write_tiny_model(run_.model(generation).string(), 1);
  }

  static Config config(const std::vector<std::string>& more) {
    std::vector<std::string> settings = {"run.game=\"quoridor:3x3,walls=1\"", "rating.games=2", "rating.visits=2",
                                         "rating.previous=0", "rating.baselines=[\"random\"]"};
    settings.insert(settings.end(), more.begin(), more.end());
    return parse_config("", "test", settings);
  }

  void rate(int generation) {
    const std::atomic<bool> stop{false};
    const auto progress = [](int, int) {};
    EXPECT_TRUE(Ratings(run_, config({})).rate(generation, progress, stop));
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path()};
};

TEST_F(PlayedRatings, TwoDamagedFilesArePlayedAgainOneAfterTheOther) {
  for (int generation = 0; generation < 2; ++generation) write_file_atomically(run_.rating(generation), "{");
  const Ratings ratings(run_, config({}));
  rate(0);
  EXPECT_EQ(ratings.table_if_whole(), std::nullopt);
  EXPECT_FALSE(fs::exists(run_.elo()));
  rate(1);
  EXPECT_EQ(ratings.table().size(), 3u);
  EXPECT_TRUE(fs::exists(run_.elo()));
}

// A model with other visits is another player.
TEST_F(PlayedRatings, AnotherSearchThanGenerationsWereRatedWithIsSaid) {
  rate(0);
  const auto changed = [&](const std::string& setting) { return Ratings(run_, config({setting})).changed_search(); };
  EXPECT_EQ(changed("rating.games=4"), "");
  EXPECT_EQ(changed("rating.visits=3"),
            "rating.visits = 3, and gen-0000 was rated with 2: the table of Elo mixes the two");
  EXPECT_EQ(changed("match.c_puct=1.5").rfind("match.c_puct = 1.5, and gen-0000 was rated with ", 0), 0u);
  write_file_atomically(run_.rating(0), "{");
  EXPECT_EQ(changed("rating.visits=3"), "") << "its matches are played again";
  write_json(run_.rating(0), {{"generation", 0}, {"matches", {match("gen-0000", "random")}}});
  EXPECT_EQ(changed("rating.visits=3"), "") << "it does not say";
}

TEST(Ratings, ADamagedTableIsWrittenAnew) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  save_run_config(run, parse_config("", "test"));
  const Ratings ratings(run, parse_config("", "test"));
  write_file_atomically(run.model(0), "");
  write_json(run.rating(0), {{"generation", 0}, {"matches", {match("gen-0000", "random")}}});
  ratings.save_table();
  const std::string whole = read_file(run.elo());
  write_file_atomically(run.elo(), whole.substr(0, 20));
  ratings.save_table();
  EXPECT_EQ(read_file(run.elo()), whole);
}

}  // namespace
}  // namespace koridor
