// Workers that join a run which is under way, and what `koridor status` says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/version.h"
#include "tests/cli/background_command.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/eventually.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using test::Command;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Join : public testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder_ / "tiny.toml", test::kTinyConfig); }

  std::string status(const std::string& more = "") const {
    const test::CommandResult result = test::koridor("status " + run_.root().string() + " " + more);
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }

  test::TemporaryFolder folder_;
  RunDirectory run_{folder_ / "run"};
};

TEST_F(Join, WorkersComeAndGoAndEveryGameCountsOnce) {
  Command loop({"train", folder_ / "tiny.toml", "--run", run_.root(), "--set", "run.generations=2", "--set",
                "selfplay.games=600", "--set", "selfplay.visits=100", "--set", "training.samples_per_position=0.05"},
               folder_ / "loop");
  ASSERT_TRUE(eventually([&] { return test::has_shards(run_.shards(0)); })) << loop.output();
  Command victim({"selfplay", "--run", run_.root(), "--threads", "1"}, folder_ / "victim");
  Command late({"train", "--run", run_.root(), "--join"}, folder_ / "late");
  // Killed while it holds ranges.
  ASSERT_TRUE(eventually([&] {
    for (const auto& entry : fs::directory_iterator(run_.workers())) {
      const json sign = read_heartbeat(entry.path()).value_or(json());
      if (member(sign, "pid", 0) == victim.pid() && member(sign, "generation", -1) >= 0) return true;
    }
    return false;
  })) << victim.output();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::string before = status("--seconds 20");
  EXPECT_THAT(before, AllOf(HasSubstr("loop "), HasSubstr("trainer "), HasSubstr("worker "),
                            HasSubstr(std::to_string(victim.pid()))));
  ::kill(victim.pid(), SIGKILL);
  victim.wait_for(seconds(10));
  const json after = json::parse(status("--json --seconds 0"));
  std::string state;
  for (const json& process : after["processes"]) {
    if (process["pid"] == victim.pid()) state = process["state"];
  }
  EXPECT_EQ(state, "dead") << after.dump(2);
  ASSERT_EQ(loop.wait_for(seconds(120)), 0) << loop.output();
  ASSERT_EQ(late.wait_for(seconds(20)), 0) << late.output();
  EXPECT_THAT(late.output(), HasSubstr("The run is finished."));
  for (const int generation : {0, 1}) test::expect_every_game_once(run_.shards(generation), 600);
  EXPECT_EQ(test::koridor("inspect --verify " + (run_.root() / "shards").string()).status, 0);
  const std::string end = status();
  EXPECT_THAT(end, AllOf(HasSubstr("2 of 2 generations"), HasSubstr("finished"), Not(HasSubstr("stuck:"))));
}

TEST_F(Join, ARunCanLeaveAllGamesToJoinedWorkers) {
  Command loop({"train", folder_ / "tiny.toml", "--run", run_.root(), "--no-selfplay", "--set", "run.generations=1"},
               folder_ / "loop");
  ASSERT_TRUE(eventually([&] { return fs::exists(run_.leader()); })) << loop.output();
  Command worker({"selfplay", folder_ / "tiny.toml", "--run", run_.root()}, folder_ / "worker");
  EXPECT_EQ(loop.wait_for(seconds(60)), 0) << loop.output();
  EXPECT_EQ(worker.wait_for(seconds(20)), 0) << worker.output();
  test::expect_every_game_once(run_.shards(0), 60);
  const std::string figures = read_file(run_.figures());
  const json last = json::parse(figures.substr(figures.rfind('\n', figures.size() - 2) + 1));
  EXPECT_GT(last["selfplay"]["positions_per_second"], 1) << figures;
}

TEST_F(Join, WhatDoesNotBelongIsRefusedByName) {
  const std::string run = run_.root().string();
  test::expect_refused("selfplay --run " + run, "there is no run directory to join");
  test::expect_refused("train --join --run " + run, "there is no run directory to join");
  test::expect_refused("train --join", "--run DIR");
  const std::string other = (folder_ / "photographs").string();
  fs::create_directory(other);
  write_file_atomically(other + "/sea.jpg", "blue");
  // Also where something there is called as in a run.
  for (const char* known : {"", "models", "logs", "lock"}) {
    fs::create_directories(fs::path(other) / known);
    test::expect_refused(
        "selfplay --run " + other,
        other + ": no run directory: it has no config.toml, and holds sea.jpg, which is nothing of a run");
    test::expect_refused("train --join --run " + other, "and holds sea.jpg, which is nothing of a run");
    test::expect_refused("train " + (folder_ / "tiny.toml").string() + " --run " + other,
                         "nothing of a run; name the directory of a run, or an empty folder or a new one");
  }
  EXPECT_FALSE(fs::exists(other + "/config.toml"));
  test::expect_refused("train --join --run " + run + " --set run.seed=7", "give CONFIG as well");
  test::expect_refused("selfplay --run " + run + " --set run.seed=7", "give CONFIG as well");
  test::expect_refused("selfplay --run " + run + " --game 1", "--generation");
  test::expect_refused("status " + run, "no run directory: there is no such folder");
  save_run_config(run_, load_config(folder_ / "tiny.toml"));
  write_json(run_.leader(),
             {{"state", "running"}, {"phase", "play"}, {"generation", 0}, {"version", "0.0.9"}, {"commit", "abc"}});
  test::expect_refused("selfplay --run " + run, "is led by koridor 0.0.9 (abc), and this is koridor");
  const Build build = this_build();
  write_json(run_.leader(), {{"state", "running"},
                             {"phase", "play"},
                             {"generation", 0},
                             {"version", build.version},
                             {"commit", build.commit}});
  test::expect_refused("selfplay " + (folder_ / "tiny.toml").string() + " --run " + run + " --set run.seed=7",
                       "another configuration: run.seed is 1 there and 7 here");
  test::expect_refused("selfplay " + (folder_ / "tiny.toml").string() + " --run " + run + " --set run.game=go:3x3",
                       "another configuration: run.game");
}

TEST_F(Join, HowManyGenerationsThereAreToBeMayNotBeKnown) {
  write_file_atomically(run_.config(), "damaged");
  EXPECT_THAT(status(), AllOf(HasSubstr(": 0 generations\n"), HasSubstr("stuck: " + run_.config().string())));
  EXPECT_TRUE(json::parse(status("--json"))["run"][0]["generations"].is_null());
}

// A run that is about to begin may have its folder, with its logs alone or with what an earlier start has left.
TEST_F(Join, ARunThatHasNotBegunIsWaitedFor) {
  const std::vector<std::vector<std::string>> contents = {
      {}, {"logs"}, {"logs", "lock", "config.toml.4711-a.b-c.tmp", ".nfs01", "lost+found"}};
  for (const std::vector<std::string>& names : contents) {
    const fs::path folder = folder_ / ("waits" + std::to_string(names.size()));
    fs::create_directory(folder);
    for (const std::string& name : names) fs::create_directory(folder / name);
    const test::CommandResult waits = test::run("cd " + folder.string() + " && timeout -s INT 1 " +
                                                test::program_word("koridor") + " selfplay --run .");
    EXPECT_EQ(waits.status, 124) << waits.output;
    EXPECT_THAT(waits.output, AllOf(HasSubstr("it has no config.toml yet; waits"), HasSubstr("Stopped")));
  }
}

}  // namespace
}  // namespace koridor
