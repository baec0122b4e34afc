// Workers that join a run which is under way, and what `koridor status` says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/version.h"
#include "models/network/model_file.h"
#include "tests/cli/background_command.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using test::Command;
using test::eventually;
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
  EXPECT_THAT(read_file(run_.figures()), HasSubstr("positions_per_second"));
}

TEST_F(Join, WhatDoesNotBelongIsRefusedByName) {
  const std::string run = run_.root().string();
  test::expect_refused("selfplay --run " + run, "there is no run directory to join");
  test::expect_refused("train --join", "--run DIR");
  test::expect_refused("status " + run, "no config.toml");
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

// The model comes late and in pieces; the worker waits, says so and plays when it is whole.
TEST_F(Join, FaultsAreWaitedForAndShown) {
  const Config config = load_config(folder_ / "tiny.toml");
  save_run_config(run_, config);
  ModelInfo info;
  info.family = "wall";
  info.game = config.run.game;
  info.network = config.network;
  info.signature = signature_of(config);
  save_model((folder_ / "whole").string(), random_model(info, 1));
  const std::string model = read_file(folder_ / "whole");
  write_file_atomically(run_.model(0), model.substr(0, model.size() / 2));
  const Build build = this_build();
  json leader{
      {"state", "running"}, {"phase", "play"}, {"generation", 0}, {"version", build.version}, {"commit", build.commit}};
  write_json(run_.leader(), leader);
  Command worker({"selfplay", "--run", run_.root()}, folder_ / "worker");
  ASSERT_TRUE(eventually([&] { return worker.output().find("tried again every 5 s") != std::string::npos; }))
      << worker.output();
  std::string said;
  EXPECT_TRUE(eventually([&] {
    said = status("--seconds 0");
    return said.find("stuck: worker ") != std::string::npos;
  }));
  EXPECT_THAT(said, AllOf(HasSubstr("gen-0000.koridor"), HasSubstr("the loop")));
  write_file_atomically(run_.model(0), model);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); })) << worker.output();
  EXPECT_THAT(worker.output(), HasSubstr("the fault is gone"));
  // The whole directory goes away for a while.
  fs::rename(run_.root(), folder_ / "away");
  EXPECT_TRUE(eventually([&] { return worker.output().find("is not there") != std::string::npos; })) << worker.output();
  EXPECT_FALSE(fs::exists(run_.root()));
  fs::rename(folder_ / "away", run_.root());
  leader["state"] = "finished";
  write_json(run_.leader(), leader);
  EXPECT_EQ(worker.wait_for(seconds(20)), 0) << worker.output();
  test::expect_every_game_once(run_.shards(0), 60);
}

}  // namespace
}  // namespace koridor
