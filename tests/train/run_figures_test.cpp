#include "train/run/run_figures.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "tests/temporary_folder.h"
#include "train/learner/random_shard.h"
#include "train/run/continuous_watch.h"
#include "train/run/figure_lines.h"
#include "train/run/loss_report.h"
#include "train/run/run_config.h"
#include "train/run/selfplay_figures.h"
#include "train/run/series.h"
#include "train/run/yardstick_file.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Models appear, each with what the trainer says of its games, while a worker waits now and then.
TEST(ContinuousWatch, SaysWhenModelsAppearedAndHowFastTheirGamesWere) {
  const TemporaryFolder folder;
  const RunDirectory run(folder / "run");
  const auto appears = [&](int generation) {
    write_json(run.metrics(generation), {{"selfplay", {{"games", 10}, {"plies", 30.0}, {"evaluations", 1200}}}});
    write_file_atomically(run.model(generation), "");
  };
  write_file_atomically(run.model(0), "");
  {
    Heartbeat worker(run.workers() / "a.json", {{"waited_seconds", 7.0}}, std::chrono::milliseconds(10000));
    ContinuousWatch watch(run, 100);
    EXPECT_EQ(watch.look(105), 0);
    appears(1);
    worker.say({{"waited_seconds", 9.0}});
    worker.write();
    EXPECT_EQ(watch.look(110), 1);
    appears(2);
    appears(3);
    EXPECT_EQ(watch.look(112), 3);
    EXPECT_EQ(watch.seconds_of(0), 100);
    EXPECT_EQ(watch.seconds_of(1), 110);
    EXPECT_EQ(watch.seconds_of(3), 112) << "whenever its line is written";
    EXPECT_EQ(watch.speeds_of(1),
              (json{{"positions_per_second", 30.0}, {"evaluations_per_second", 120.0}, {"waited_seconds", 2.0}}));
    EXPECT_EQ(watch.speeds_of(2)["positions_per_second"], 150.0);
    EXPECT_EQ(watch.speeds_of(3), (json{{"waited_seconds", 0.0}})) << "no time was seen to pass";
  }
  // After a stop, with some games of the next model played before; and the worker has ended.
  fs::create_directories(run.shards(3));
  ContinuousWatch watch(run, 200);
  appears(4);
  EXPECT_EQ(watch.look(205), 4);
  EXPECT_EQ(watch.speeds_of(4), json::object());
  appears(5);
  EXPECT_EQ(watch.look(210), 5);
  EXPECT_EQ(watch.speeds_of(5)["positions_per_second"], 60.0);
}

TEST(SelfplayFigures, CountTheGamesOfShards) {
  ShardData shard = random_shard(parse_game("quoridor:3x3,walls=1"), 12, 1);
  SelfplayFigures figures;
  figures.add(shard);
  json object = to_json(figures);
  EXPECT_EQ(object["games"], 12);
  EXPECT_EQ(object["positions"], shard.plies());
  EXPECT_NEAR(object["plies"].get<double>(), shard.plies() / 12.0, 1e-9);
  const double ended = object["ends"].value("goal", 0.0) + object["ends"].value("ply_cap", 0.0);
  EXPECT_NEAR(ended, 1.0, 1e-9);
  EXPECT_NEAR(object["wins"][0].get<double>() + object["wins"][1].get<double>(), object["ends"]["goal"], 1e-9);
  EXPECT_FALSE(object.contains("depth")) << "these shards do not say";
  EXPECT_FALSE(object.contains("evaluations"));

  shard.ply_kind[0] = static_cast<std::uint8_t>(PlyKind::cheap);
  shard.ply_depth.assign(shard.plies(), 250);
  shard.ply_largest_depth.assign(shard.plies(), 7);
  shard.ply_surprise.assign(shard.plies(), 400);
  shard.ply_depth[0] = 60000;
  SelfplayFigures more;
  more.add(shard);
  figures.add(more);
  object = to_json(figures);
  EXPECT_EQ(object["games"], 24);
  EXPECT_NEAR(object["depth"].get<double>(), 2.5, 1e-9) << "of full searches alone";
  EXPECT_EQ(object["largest_depth"], 7);
  EXPECT_NEAR(object["surprise"].get<double>(), 0.4, 1e-9);
  EXPECT_TRUE(to_json(SelfplayFigures{}).empty());

  shard.game_simulations.assign(12, 100);
  shard.game_evaluations.assign(12, 70);
  SelfplayFigures counted;
  counted.add(shard);
  EXPECT_EQ(to_json(counted)["simulations"], 1200);
  EXPECT_EQ(to_json(counted)["evaluations"], 840);
  EXPECT_FALSE(to_json(counted).contains("models_behind"));

  ShardData later = shard;
  later.info.generation = 7;
  later.game_model.assign(12, 7);
  later.game_model[0] = 4;
  SelfplayFigures behind;
  behind.add(later);
  EXPECT_NEAR(to_json(behind)["models_behind"].get<double>(), 3.0 / 12, 1e-9);
  counted.add(more);
  EXPECT_FALSE(to_json(counted).contains("evaluations")) << "half of the games do not say";
}

// By hand: in two of three games player two is an opponent, and the network's player one wins one of them.
TEST(SelfplayFigures, SayWhatTheNetworkGotAgainstOpponents) {
  ShardData shard = random_shard(parse_game("quoridor:3x3,walls=1"), 3, 1);
  for (const std::size_t game : {0u, 2u}) {
    shard.game_outcome[2 * game] = game == 0 ? 1.0f : 0.0f;
    shard.game_outcome[2 * game + 1] = game == 0 ? 0.0f : 1.0f;
    for (std::size_t row = shard.game_first_ply[game]; row < shard.game_first_ply[game] + shard.game_plies[game];
         ++row) {
      if (shard.ply_player[row] == 1) shard.ply_kind[row] = static_cast<std::uint8_t>(PlyKind::opponent);
    }
  }
  shard.ply_kind[0] = static_cast<std::uint8_t>(PlyKind::opening);
  SelfplayFigures figures;
  figures.add(shard);
  figures.add(SelfplayFigures(figures));
  EXPECT_EQ(figures.opponent_games, 4u);
  EXPECT_NEAR(to_json(figures)["against_opponents"].get<double>(), 0.5, 1e-9);
  SelfplayFigures without;
  without.add(random_shard(parse_game("quoridor:3x3,walls=1"), 3, 1));
  EXPECT_FALSE(to_json(without).contains("against_opponents"));
}

class RunFiguresTest : public testing::Test {
 protected:
  RunFiguresTest() { save_run_config(run_, Config{}); }

  std::vector<json> lines() const {
    std::vector<json> all;
    std::istringstream text(read_file(run_.figures()));
    for (std::string line; std::getline(text, line);) all.push_back(json::parse(line));
    return all;
  }
  static RatedPlayer rated(int generation, double elo) {
    return {.name = RunDirectory::label(generation),
            .generation = generation,
            .elo = elo,
            .error = 50,
            .games = 40,
            .score = {{"random", 1.0}, {"greedy", 0.625}}};
  }

  const TemporaryFolder folder_;
  const RunDirectory run_{folder_ / "run"};
};

constexpr const char* kMetrics = R"({"loss": 1.5, "heads": ["policy", "value"], "policy_loss": 1.25, "value_loss": null,
  "policy_entropy": 1.0, "policy_kl": 0.25, "top1": 0.75, "value_brier": 0.2, "value_calibration_error": 0.03,
  "steps": 20, "learning_rate": 0.002, "selfplay": {"games": 60, "plies": 9.5, "wins": [0.5, 0.5]},
  "boards": {"quoridor:3x3,walls=1": {"loss": 1.0, "heads": ["policy"], "policy_loss": 1.0,
                                      "selfplay": {"games": 30}}}})";

TEST_F(RunFiguresTest, ALinePerGenerationWithTheLastRatings) {
  Config config;
  config.run.games = {"quoridor:3x3,walls=1", "quoridor:4x4,walls=1"};
  const RunFigures figures(run_, config);
  write_file_atomically(run_.metrics(1), kMetrics);
  EXPECT_FALSE(figures.finished(0));
  figures.finish(0, 3.5, {}, std::vector{rated(0, -100)});
  EXPECT_TRUE(figures.finished(0));
  const std::vector<json> speeds{{{"positions_per_second", 100.0}}, {{"positions_per_second", 300.0}}};
  figures.finish(1, 9.5, speeds, std::vector{rated(0, -120), rated(1, 30)});
  std::vector<json> both = lines();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0]["checksum"].get<std::string>().size(), 16u);
  both[0].erase("checksum");
  EXPECT_EQ(both[0], json::parse(R"({"generation": 0, "seconds": 3.5, "rating": {"elo": -120.0, "error95": 50.0,
    "games": 40, "scores": {"greedy": 0.625, "random": 1.0}}})"));
  EXPECT_EQ(both[1]["training"], json::parse(R"({"loss": 1.5, "losses": {"policy": 1.25}, "policy_entropy": 1.0,
    "policy_kl": 0.25, "top1": 0.75, "value_brier": 0.2, "value_calibration_error": 0.03, "steps": 20,
    "learning_rate": 0.002})"));
  EXPECT_EQ(both[1]["selfplay"]["positions_per_second"], 200.0);
  EXPECT_EQ(both[1]["selfplay"]["games"], 60);
  EXPECT_EQ(both[1]["boards"]["quoridor:3x3,walls=1"]["training"]["losses"]["policy"], 1.0);
  EXPECT_EQ(both[1]["boards"]["quoridor:4x4,walls=1"]["selfplay"]["positions_per_second"], 300.0);
}

// Where several workers played, their games say how fast they were together.
TEST_F(RunFiguresTest, TheGamesOfManyWorkersGiveTheirSpeed) {
  write_file_atomically(run_.metrics(1), R"({"selfplay": {"games": 60, "plies": 10.0, "evaluations": 3000}})");
  const std::vector<json> speeds{{{"played_seconds", 4.0}}};
  RunFigures(run_, Config{}).finish(1, 9.5, speeds, {});
  EXPECT_EQ(lines()[1]["selfplay"]["positions_per_second"], 150.0);
  EXPECT_EQ(lines()[1]["selfplay"]["evaluations_per_second"], 750.0);
  EXPECT_FALSE(lines()[1]["selfplay"].contains("played_seconds"));
}

// Two restarts gave 34 points for 12 generations.
TEST_F(RunFiguresTest, EventsOfAGenerationAreWrittenOnceHoweverOftenTheRunStarts) {
  const Config config;
  std::string first;
  for (int start = 0; start < 3; ++start) {
    const RunFigures figures(run_, config);
    figures.finish(0, 1.0 + start, {}, std::vector{rated(0, start)});
    const fs::path folder = run_.events() / "generations";
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
    const std::string bytes = read_file(fs::directory_iterator(folder)->path());
    if (start == 0) first = bytes;
    EXPECT_EQ(bytes, first);
    EXPECT_EQ(bytes.find("rating/elo"), bytes.rfind("rating/elo"));
    EXPECT_NE(bytes.find("rating/elo"), std::string::npos);
    EXPECT_EQ(lines()[0]["seconds"], 1.0) << "the time when it was finished";
    EXPECT_EQ(lines()[0]["rating"]["elo"], start);
    figures.write_last_ratings(std::vector{rated(0, start)});
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(run_.events() / "last_table"), fs::directory_iterator()), 1);
}

// Time or cost may end a run with a generation whose line was written before its rating.
TEST_F(RunFiguresTest, TheLastTableIsAlsoInTheLines) {
  const RunFigures figures(run_, Config{});
  figures.finish(0, 2.0, {}, std::vector{rated(0, -10)});
  figures.finish(1, 9.5, std::vector<json>{{{"positions_per_second", 100.0}}}, std::vector{rated(0, -10)});
  figures.write_last_ratings(std::vector{rated(0, -20), rated(1, 30)});
  const std::vector<json> all = lines();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["rating"]["elo"], -20.0);
  EXPECT_EQ(all[1]["rating"]["elo"], 30.0);
  EXPECT_EQ(all[1]["seconds"], 9.5);
  EXPECT_EQ(all[1]["selfplay"]["positions_per_second"], 100.0);
  EXPECT_EQ(read_series(run_, {}, "").series.at("rating.elo").size(), 2u);
  fs::remove(run_.figures());
  figures.write_last_ratings(std::vector{rated(1, 40)});
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[1]["rating"]["elo"], 40.0);
  EXPECT_FALSE(lines()[1].contains("seconds")) << "its time is not known any more";
}

TEST_F(RunFiguresTest, ARunOfAnOlderVersionGetsTheLinesItLacks) {
  write_file_atomically(run_.metrics(1),
                        R"({"loss": 2.0, "policy_loss": 1.5, "value_loss": 0.5, "auxiliary_loss": 0})");
  write_file_atomically(run_.metrics(2),
                        R"({"loss": 1.0, "policy_loss": 0.5, "value_loss": 0.5, "auxiliary_loss": 0})");
  RunFigures(run_, Config{}).finish(0, 7.0, {}, {});
  write_file_atomically(run_.figures(), read_file(run_.figures()) + "{\"generation\":");
  RunFigures(run_, Config{}).finish(2, 20.0, {}, {});
  const std::vector<json> all = lines();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["seconds"], 7.0);
  EXPECT_EQ(all[1]["training"]["losses"]["policy"], 1.5);
  EXPECT_FALSE(all[1].contains("seconds"));
  EXPECT_EQ(all[2]["seconds"], 20.0);
}

TEST_F(RunFiguresTest, AChangedLineIsMadeAnew) {
  RunFigures(run_, Config{}).finish(0, 7.0, {}, {});
  std::string text = read_file(run_.figures());
  text.replace(text.find("7.0"), 3, "9.0");
  write_file_atomically(run_.figures(), text);
  RunFigures(run_, Config{}).finish(1, 20.0, {}, {});
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_FALSE(lines()[0].contains("seconds")) << "its time is not known any more";
}

TEST_F(RunFiguresTest, ADamagedFileOfMetricsIsNamed) {
  write_file_atomically(run_.metrics(1), "{\"loss\": 2.0");
  const json line = RunFigures(run_, Config{}).finish(1, 20.0, {}, {});
  EXPECT_NE(line["note"].get<std::string>().find("gen-0001.json: damaged"), std::string::npos) << line;
  EXPECT_FALSE(line.contains("training"));
}

TEST_F(RunFiguresTest, APictureLeavesOutWhatIsDamagedAndNamesIt) {
  for (int generation = 0; generation < 3; ++generation) {
    write_file_atomically(run_.model(generation), "");
    write_json(run_.metrics(generation), {{"generation", generation}, {"loss", 1.25}, {"policy_loss", 1.5}});
  }
  RunFigures(run_, Config{}).finish(2, 7.5, {}, {});
  EXPECT_TRUE(read_series(run_, {}, "").damaged.empty());
  EXPECT_EQ(read_series(run_, {}, "").series.at("training.losses.policy").size(), 3u);
  std::string figures = read_file(run_.figures());
  figures.replace(figures.find("7.5"), 3, "9.5");
  write_file_atomically(run_.figures(), figures + "{\"generation\": 3, \"loss\": 4}\n");
  std::string metrics = read_file(run_.metrics(2));
  metrics.replace(metrics.find("1.25"), 4, "9.25");
  write_file_atomically(run_.metrics(2), metrics);
  const RunSeries series = read_series(run_, {}, "");
  ASSERT_EQ(series.damaged.size(), 2u);
  EXPECT_EQ(series.damaged[0], run_.figures().string() + ": line 3 is damaged: its checksum is wrong");
  EXPECT_NE(series.damaged[1].find("metrics/gen-0002.json: damaged"), std::string::npos) << series.damaged[1];
  EXPECT_EQ(series.series.at("training.loss").size(), 2u);
  EXPECT_TRUE(std::ranges::none_of(series.seconds, [](const auto& time) { return time.second == 9.5; }));
  EXPECT_EQ(series.series.at("loss").front().value, 4.0) << "a line of an older version";
}

// A line has no number for an end that none of its games had.
TEST_F(RunFiguresTest, AnEndThatNoGameOfAGenerationHadIsNone) {
  const auto line = [](int generation, const json& ends) {
    json figures{{"generation", generation}, {"selfplay", {{"ends", ends}}}};
    if (generation == 1) figures["rating"]["scores"]["legends.3.koridor"] = 0.5;
    return figure_line_text(figures);
  };
  write_file_atomically(
      run_.figures(), line(0, {{"goal", 1.0}}) + line(1, {{"goal", 0.5}, {"ply cap", 0.5}}) + line(2, {{"goal", 1.0}}));
  const RunSeries series = read_series(run_, {}, "");
  const std::vector<SeriesPoint>& caps = series.series.at("selfplay.ends.ply cap");
  ASSERT_EQ(caps.size(), 3u);
  EXPECT_EQ(caps[0].value, 0.0);
  EXPECT_EQ(caps[1].value, 0.5);
  EXPECT_EQ(caps[2].value, 0.0);
  EXPECT_FALSE(series.series.contains("selfplay.ends.repetition"));
  EXPECT_EQ(series.series.at("rating.scores.legends.3.koridor").size(), 1u) << "a baseline, and no end of games";
}

// The share of proven values that a generation keeps, with the interval of so many positions.
TEST_F(RunFiguresTest, TheYardstickHasAnInterval) {
  YardstickResult result{
      .game = "quoridor:3x3,walls=1", .positions = 100, .kept = 100, .random = 0.5, .visits = 8, .settings = ""};
  std::vector<RatedPlayer> players = {rated(0, -100), rated(1, 50)};
  write_yardstick(run_, 0, std::array{result});
  result.kept = 80;
  write_yardstick(run_, 1, std::array{result, result});
  Config config;
  config.rating.visits = 8;
  EXPECT_TRUE(add_yardsticks(players, "", run_, config).empty());
  const std::vector<SeriesPoint> points = read_series(run_, players, "").series.at("rating.value_kept");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].value, 1.0);
  EXPECT_NEAR(points[0].error, 0.0185, 1e-4);
  EXPECT_EQ(points[1].value, 0.8);
  EXPECT_NEAR(points[1].error, 0.0777 / std::sqrt(2.0), 1e-3) << "of two boards";
}

// A share by other visits is another figure, and a damaged file takes no other generation's away.
TEST_F(RunFiguresTest, TheYardstickIsThatOfTheRunsVisits) {
  const auto result = [](int kept, int visits) {
    return YardstickResult{
        .game = "quoridor:3x3,walls=1", .positions = 10, .kept = kept, .visits = visits, .settings = ""};
  };
  std::vector<RatedPlayer> players = {rated(0, -100), rated(1, 50), rated(2, 60)};
  write_yardstick(run_, 0, std::array{result(6, 1), result(9, 8)});
  write_yardstick(run_, 1, std::array{result(5, 1)});
  write_file_atomically(run_.yardstick(2), "junk");
  Config config;
  config.rating.visits = 8;
  const std::vector<std::string> damaged = add_yardsticks(players, "", run_, config);
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_NE(damaged[0].find("gen-0002.json"), std::string::npos) << damaged[0];
  EXPECT_EQ(players[0].value_kept, 0.9);
  EXPECT_EQ(players[1].value_kept, std::nullopt);
  EXPECT_EQ(players[2].value_kept, std::nullopt);
}

// Event files name boards by their order, whichever was measured last.
TEST(YardstickResults, LieInTheOrderOfTheBoards) {
  const std::vector<AnyGame> boards = {parse_game("quoridor:3x3,walls=1"), parse_game("quoridor:3x3,walls=2"),
                                       parse_game("quoridor:5x5,walls=1")};
  const auto result = [&](std::size_t board, int kept) {
    return YardstickResult{.game = name_of(boards[board]), .positions = 10, .kept = kept, .visits = 8, .settings = ""};
  };
  std::vector<YardstickResult> results;
  for (const std::size_t board : {2, 0, 1}) replace_result(results, result(board, 1), boards);
  EXPECT_EQ(results, (std::vector{result(0, 1), result(1, 1), result(2, 1)}));
  replace_result(results, result(0, 2), boards);
  EXPECT_EQ(results, (std::vector{result(0, 2), result(1, 1), result(2, 1)}));
  YardstickResult longer = result(1, 3);
  longer.visits = 16;
  replace_result(results, longer, boards);
  EXPECT_EQ(results, (std::vector{result(0, 2), result(1, 1), longer, result(2, 1)}));
}

TEST(LossParts, TheLossOfGamesHeldOutStandsBehindTheLoss) {
  LossReport report{.loss = 1.5};
  report.predictions.emplace();
  EXPECT_EQ(loss_parts(report, 1.75)[1], "hold-out loss 1.750");
  EXPECT_EQ(loss_parts(report)[1], "policy KL 0.000");
}

// With the lists of baselines of all recipes, and longer ones.
TEST(GenerationText, FitsInto80Columns) {
  const json line = {{"generation", 12345},
                     {"seconds", 360000.0},
                     {"training", {{"loss", 12.3456}, {"policy_kl", 1.23456}, {"top1", 1.0}, {"value_brier", 0.25}}},
                     {"rating", {{"elo", -1234.5}, {"error95", 1234.5}, {"scores", {{"random", 1.0}, {"mcts", 0.5}}}}}};
  for (const std::vector<std::string>& baselines : std::vector<std::vector<std::string>>{
           {}, {"random"}, {"random", "greedy", "alphabeta:2", "mcts"}, std::vector<std::string>(9, "random")}) {
    for (const std::string& text : {generation_header(baselines), generation_text(line, baselines)}) {
      std::istringstream rows(text);
      for (std::string row; std::getline(rows, row);) EXPECT_LE(row.size(), 80u) << row;
    }
  }
  EXPECT_EQ(generation_text({{"generation", 3}}, {"random"}),
            "gen-0003        -       -      -      -      -      -       -");
  const json quick = {{"generation", 8},
                      {"seconds", 65.0},
                      {"training", {{"loss", 1.2345}, {"policy_kl", 0.2}, {"top1", 0.639}, {"value_brier", 0.171}}},
                      {"rating", {{"elo", 223.4}, {"error95", 67.0}, {"scores", {{"random", 1.0}, {"mcts", 0.5}}}}}};
  EXPECT_EQ(generation_text(quick, {"random", "greedy", "mcts"}),
            "gen-0008     1:05   1.234  0.200    64%  0.171    223    +-67 100%    -  50%");
  EXPECT_EQ(generation_text({{"generation", 3}, {"rating", {{"elo", -0.3}, {"error95", 0.2}}}}, {}),
            "gen-0003        -       -      -      -      -      0     +-0");
}

}  // namespace
}  // namespace koridor
