// A run whose loop runs at once: self-play, training and rating beside each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "tests/cli/background_command.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/eventually.h"
#include "train/run/figure_lines.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Command;
namespace fs = std::filesystem;

class ContinuousRun : public testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder_ / "tiny.toml", test::kTinyConfig); }

  std::vector<std::string> train() const {
    return {"train", folder_ / "tiny.toml", "--run", run_.root(),
            "--set", "run.mode=continuous", "--set", "run.generations=4"};
  }

  // A worker's process by its sign of life; 0 where there is none.
  pid_t worker() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(run_.workers(), error)) {
      const json sign = read_heartbeat(entry.path()).value_or(json());
      if (member(sign, "state", std::string()) == "running" && member(sign, "generation", -1) >= 0) {
        return member(sign, "pid", 0);
      }
    }
    return 0;
  }

  test::TemporaryFolder folder_;
  RunDirectory run_{folder_ / "run"};
};

// Worker, trainer and loop are killed one after the other, and the same command goes on each time.
TEST_F(ContinuousRun, WhateverIsKilledEveryGameCountsOnceAndTheRunFinishes) {
  std::vector<std::string> endless = train();
  endless.insert(endless.end(), {"--set", "selfplay.games=200", "--set", "selfplay.visits=60", "--set",
                                 "training.samples_per_position=1", "--set", "rating.every=100", "--set"});
  std::vector<std::string> ends = endless;
  endless.emplace_back("run.generations=10000");
  for (const std::string victim : {"worker", "trainer", "loop"}) {
    Command loop(endless, folder_ / "log");
    pid_t pid = 0;
    ASSERT_TRUE(eventually([&] {
      pid = victim == "loop" ? loop.pid() : loop.child(victim == "trainer" ? "koridor-trainer" : "--generation");
      return pid != 0 && worker() != 0;
    })) << loop.output();
    ASSERT_FALSE(loop.wait_for(milliseconds(1))) << loop.output();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    const std::optional<int> status = loop.wait_for(seconds(60));
    ASSERT_TRUE(status) << victim << "\n" << loop.output();
    EXPECT_NE(*status, 0) << victim << "\n" << loop.output();
  }
  const int generations = run_.models() + 2;
  ends.push_back("run.generations=" + std::to_string(generations));
  Command last(ends, folder_ / "log");
  ASSERT_EQ(last.wait_for(seconds(120)), 0) << last.output();
  for (int generation = 0; generation < generations; ++generation) {
    test::expect_every_game_once(run_.shards(generation), 200);
  }
  EXPECT_EQ(test::koridor("inspect --verify " + (run_.root() / "shards").string()).status, 0);
  EXPECT_TRUE(fs::exists(run_.model(generations)));
  EXPECT_EQ(read_figure_lines(run_.figures()).lines.size(), static_cast<std::size_t>(generations) + 1);
}

TEST_F(ContinuousRun, WorkersJoinAndTheFiguresSayWhoWaited) {
  std::vector<std::string> words = train();
  words.emplace_back("--no-selfplay");
  Command loop(words, folder_ / "loop");
  ASSERT_TRUE(eventually([&] { return fs::exists(run_.leader()); })) << loop.output();
  Command first({"selfplay", "--run", run_.root(), "--threads", "1"}, folder_ / "first");
  Command second({"train", "--run", run_.root(), "--join"}, folder_ / "second");
  ASSERT_TRUE(eventually([&] { return worker() != 0; })) << first.output();
  const test::CommandResult status = test::koridor("status " + run_.root().string() + " --seconds 0");
  EXPECT_EQ(status.status, 0) << status.output;
  ASSERT_EQ(loop.wait_for(seconds(120)), 0) << loop.output();
  EXPECT_EQ(first.wait_for(seconds(30)), 0) << first.output();
  EXPECT_EQ(second.wait_for(seconds(30)), 0) << second.output();
  for (int generation = 0; generation < 4; ++generation) test::expect_every_game_once(run_.shards(generation), 60);
  const FigureLines figures = read_figure_lines(run_.figures());
  ASSERT_EQ(figures.lines.size(), 5u);
  double waited = 0;
  for (const FigureLine& line : figures.lines) {
    EXPECT_TRUE(line.figures.contains("seconds")) << line.figures.dump();
    if (line.generation == 0) continue;
    waited += line.figures["training"].value("waited_seconds", -100.0);
    EXPECT_GE(line.figures["selfplay"]["models_behind"], 0.0);
    EXPECT_LE(line.figures["selfplay"]["models_behind"], 3.0);
  }
  EXPECT_GT(waited, 0) << "the trainer waits at least for the first games";
  // Models may come faster than the workers say how far they are, so that a line may lack the rate.
  EXPECT_TRUE(std::ranges::any_of(figures.lines, [](const FigureLine& line) {
    return line.figures.contains("selfplay") && line.figures["selfplay"].contains("positions_per_second");
  }));
}

// What a stop of the clock leaves: no model without its line, and the same run goes on in step.
TEST_F(ContinuousRun, ATimeLimitEndsItWithTheNewestModelRatedAndItGoesOnInStep) {
  std::vector<std::string> words = train();
  words.back() = "run.generations=100000";
  words.insert(words.end(), {"--set", "rating.every=1000", "--set"});
  int newest = 0;
  // A busy machine may need longer for the first model after the random one: then the same run goes on.
  for (const char* minutes : {"0.1", "0.5", "1"}) {
    std::vector<std::string> limited = words;
    limited.push_back(std::string("run.max_minutes=") + minutes);
    Command loop(limited, folder_ / "loop");
    ASSERT_EQ(loop.wait_for(seconds(120)), 0) << loop.output();
    newest = run_.models() - 1;
    if (newest > 0) break;
  }
  ASSERT_GT(newest, 0) << read_file(folder_ / "loop");
  EXPECT_TRUE(fs::exists(run_.rating(newest))) << newest << "\n" << read_file(folder_ / "loop");
  EXPECT_EQ(read_figure_lines(run_.figures()).lines.back().generation, newest);
  Command step(
      {"train", folder_ / "tiny.toml", "--run", run_.root(), "--set", "run.generations=" + std::to_string(newest + 1)},
      folder_ / "step");
  ASSERT_EQ(step.wait_for(seconds(120)), 0) << step.output();
  test::expect_every_game_once(run_.shards(newest), 60);
}

TEST_F(ContinuousRun, WhatDoesNotGoWithItIsRefused) {
  const std::string config = (folder_ / "tiny.toml").string();
  test::expect_refused("train " + config + " --set run.mode=continuous --set rating.gate=elo0=0,elo1=35",
                       "does not go with rating.gate");
  test::expect_refused("train " + config + " --set run.mode=atonce", "continuous");
}

}  // namespace
}  // namespace koridor
