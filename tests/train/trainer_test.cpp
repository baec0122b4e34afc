#include "train/learner/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/text_of.h"
#include "tests/train/trainer_run.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TrainerTest : public TrainerRuns {};

TEST_F(TrainerTest, EndsWithTheProcessThatLeadsTheRun) {
  const RunDirectory run = make_run("run", 0);
  { Heartbeat earlier(run.leader()); }  // it has ended before this trainer began, and says nothing of the next one
  std::atomic<bool> over{false};
  const std::jthread trainer([&] {
    EXPECT_EQ(train(run), TrainerEnd::stopped);
    over = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_FALSE(over);
  Heartbeat leader(run.leader());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_FALSE(over);
  leader.say({{"state", "finished"}});
  leader.write();
  EXPECT_TRUE(eventually([&] { return over.load(); }));
  never_ = true;
}

// Such as at a run that is finished, or one whose leader starts later: nothing says whether games will come.
TEST_F(TrainerTest, SaysThatNobodyLeadsTheRun) {
  const auto said = [](const RunDirectory& run, const std::function<void()>& wait) {
    std::atomic<bool> stop{false};
    testing::internal::CaptureStderr();
    std::jthread trainer([&] { EXPECT_EQ(train_run(run.root(), 1, stop), TrainerEnd::stopped); });
    EXPECT_TRUE(eventually([&] { return fs::exists(run.model(1)); }));
    wait();
    stop = true;
    trainer.join();
    return testing::internal::GetCapturedStderr();
  };
  // What is captured is a file, which can be read meanwhile.
  const auto is_said = [] { return text_of("/proc/self/fd/2").find("no process leads") != std::string::npos; };
  const RunDirectory alone = make_run("alone", 1);
  EXPECT_NE(said(alone, [&] { eventually(is_said); })
                .find(fmt::format("waits for the games of generation 1; no process leads the run now: "
                                  "`koridor train --run {}` does",
                                  alone.root().string())),
            std::string::npos);
  const RunDirectory led = make_run("led", 1);
  const Heartbeat leader(led.leader());
  EXPECT_EQ(said(led, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2600)); }).find("no process leads"),
            std::string::npos);
}

// It has seen the process that leads the run also where it never had to wait before.
TEST_F(TrainerTest, EndsWithTheProcessThatLedTheRunWhileItTrained) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("samples_per_position = 2"), 24, "samples_per_position = 64");  // takes a second or so
  const RunDirectory run = make_run("run", 1, settings);
  Heartbeat leader(run.leader());
  std::atomic<bool> over{false};
  const std::jthread trainer([&] {
    EXPECT_EQ(train(run), TrainerEnd::stopped);
    over = true;
  });
  EXPECT_TRUE(eventually([&] { return fs::exists(run.status("trainer")); }));
  leader.say({{"state", "stopped"}});
  leader.write();
  EXPECT_TRUE(eventually([&] { return over.load(); }));
  EXPECT_TRUE(fs::exists(run.model(1)));
  never_ = true;
}

// Else the games of generation 0 would be played in another precision than those after it.
TEST_F(TrainerTest, AFirstModelFromAnotherOneHasItsCalibration) {
  const RunDirectory first = make_run("first", 2);
  ASSERT_EQ(train(first), TrainerEnd::finished);
  EXPECT_TRUE(load_model(first.model(0).string()).calibration.empty());
  const std::string start = first.model(2).string();
  const std::string settings = kTrainerConfig + fmt::format("start_from = \"{}\"\n", start);
  const RunDirectory second = make_run("second", 2, settings);
  ASSERT_EQ(train(second), TrainerEnd::finished);
  const Calibration calibration = load_model(start).calibration;
  EXPECT_FALSE(calibration.empty());
  EXPECT_EQ(load_model(second.model(0).string()).calibration, calibration);
  EXPECT_NE(load_model(second.model(1).string()).calibration, calibration);
  std::string larger = settings;
  larger.replace(larger.find("3x3"), 3, "4x4");
  const RunDirectory third = make_run("third", 2, larger);
  ASSERT_EQ(train(third), TrainerEnd::finished);
  EXPECT_TRUE(load_model(third.model(0).string()).calibration.empty()) << "positions of another board";
  std::string deeper = settings;
  deeper.replace(deeper.find("blocks = 1"), 10, "blocks = 3");
  const RunDirectory fourth = make_run("fourth", 2, deeper);
  ASSERT_EQ(train(fourth), TrainerEnd::finished);
  const Calibration grown = load_model(fourth.model(0).string()).calibration;
  EXPECT_EQ(grown.planes, calibration.planes);
  EXPECT_EQ(grown.ranges.size(), calibration.ranges.size() + 2 * kBlockActivations);
  for (std::size_t i = 0; i < calibration.ranges.size(); ++i) EXPECT_GE(grown.ranges[i], calibration.ranges[i]) << i;
}

TEST_F(TrainerTest, TrainsEveryGenerationOfARun) {
  const RunDirectory run = make_run("run", 2);
  EXPECT_EQ(train(run), TrainerEnd::finished);
  for (int generation = 0; generation <= 2; ++generation) {
    const Model model = load_model(run.model(generation).string());
    EXPECT_EQ(model.info.generation, generation);
    EXPECT_EQ(model.info.game, "quoridor:3x3,walls=1");
    EXPECT_EQ(model.info.config_hash, config_hash(load_config(run.config().string())));
  }
  EXPECT_NE(load_model(run.model(1).string()).tensors, load_model(run.model(2).string()).tensors);
  const json metrics = json::parse(read_file(run.metrics(2)));
  EXPECT_EQ(metrics["generation"], 2);
  EXPECT_EQ(metrics["steps"], (metrics["new_positions"].get<int>() * 2 + 15) / 16);
  EXPECT_GT(metrics["window_positions"], metrics["new_positions"]);
  EXPECT_EQ(metrics["window_shards"], 4);
  for (const char* key :
       {"loss", "policy_loss", "value_loss", "auxiliary_loss", "samples_per_second", "learning_rate"}) {
    EXPECT_GT(metrics[key], 0) << key;
  }
  const json status = json::parse(read_file(run.status("trainer")));
  EXPECT_FALSE(status.contains("waited_seconds")) << "in step nobody waits for what others could be quicker with";
  EXPECT_EQ(status["generation"], 2);
  EXPECT_EQ(status["step"], status["steps"]);
  EXPECT_FALSE(fs::exists(run.checkpoint(0))) << "only the newest two are kept";
  EXPECT_TRUE(fs::exists(run.checkpoint(1)));
  EXPECT_TRUE(fs::exists(run.checkpoint(2)));
  EXPECT_NEAR(metrics["policy_kl"].get<double>(),
              metrics["policy_loss"].get<double>() - metrics["policy_entropy"].get<double>(), 1e-9);
  for (const char* key : {"policy_kl", "top1", "value_brier", "value_calibration_error"}) {
    EXPECT_GT(metrics[key], 0) << key;
    EXPECT_TRUE(status.contains(key)) << key;
  }
  EXPECT_EQ(metrics["selfplay"]["games"], 20) << "the games of generation 1";
  EXPECT_EQ(metrics["selfplay"]["positions"], metrics["new_positions"]);
  // Once more: there is nothing to do.
  const auto before = fs::last_write_time(run.model(2));
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_EQ(fs::last_write_time(run.model(2)), before);
}

TEST_F(TrainerTest, WaitsForTheGamesToBeComplete) {
  const RunDirectory run = make_run("run", 2);
  fs::remove(run.complete(1));
  std::thread later([&] {
    EXPECT_TRUE(eventually([&] { return fs::exists(run.model(1)); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(fs::exists(run.metrics(2)));
    EXPECT_TRUE(fs::exists(run.trainer(0))) << "its sign of life";
    EXPECT_FALSE(fs::exists(run.trainer(1)));
    write_file_atomically(run.complete(1), "");
  });
  write_file_atomically(run.trainer(1), "of an earlier start with two trainers");
  write_file_atomically(run.trainer(7), "of one with eight, whose others removed theirs");
  EXPECT_EQ(train(run), TrainerEnd::finished);
  later.join();
  EXPECT_FALSE(fs::exists(run.trainer(0)));
  EXPECT_FALSE(fs::exists(run.trainer(7)));
}

// Whether its loop has started it or not.
TEST_F(TrainerTest, ATrainerOfAnotherBuildIsRefused) {
  const RunDirectory run = make_run("run", 2);
  json leader{{"state", "running"}, {"version", "9.9.9"}, {"commit", "abc"}};
  for (const int started : {0, 7}) {
    leader["trainer"] = started;
    write_json(run.leader(), leader);
    EXPECT_NE(error_of([&] { train(run); }).find("is led by koridor 9.9.9 (abc), and this is koridor"),
              std::string::npos);
  }
  EXPECT_FALSE(fs::exists(run.model(1)));
  leader["state"] = "stopped";
  write_json(run.leader(), leader);
  EXPECT_EQ(train(run), TrainerEnd::finished);
}

// With two pawns per player others' actions have no place among the mover's.
TEST_F(TrainerTest, HeadsThatLearnNothingAreNamed) {
  const auto said = [this](const std::string& name, const std::string& game) {
    std::string config = std::string(kTrainerConfig) + "reply_weight = 0.5\n";
    const std::string known = "quoridor:3x3,walls=1";
    config.replace(config.find(known), known.size(), game);
    const RunDirectory run = make_run(name, 2, config);
    testing::internal::CaptureStderr();
    EXPECT_EQ(train(run), TrainerEnd::finished);
    return testing::internal::GetCapturedStderr();
  };
  const std::string blockade = said("blockade", "blockade:7x8,walls=1");
  EXPECT_NE(blockade.find("training.reply_weight = 0.5: games of blockade:7x8,walls=1 teach this head nothing"),
            std::string::npos)
      << blockade;
  EXPECT_EQ(said("quoridor", "quoridor:3x3,walls=1"), "");
}

TEST_F(TrainerTest, WritesNothingIntoARunThatHasVanished) {
  std::string config = kTrainerConfig;  // of seconds
  config.replace(config.find("samples_per_position = 2"), 24, "samples_per_position = 400");
  const RunDirectory run = make_run("run", 1, config);
  std::string error;
  std::jthread trainer([&] { error = error_of([&] { train(run); }); });
  EXPECT_TRUE(eventually([&] { return fs::exists(run.status("trainer")); }));
  fs::rename(run.root(), folder_ / "elsewhere");
  fs::create_directory(run.root());  // a mount point without its file system
  trainer.join();
  EXPECT_NE(error.find("has vanished: config.toml is not there"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(run.checkpoint(1).parent_path()) || fs::exists(run.model(1).parent_path()));
}

TEST_F(TrainerTest, StopsWhileWaiting) {
  const RunDirectory run = make_run("run", 0);
  std::atomic<bool> stop{false};
  std::thread later([&] {
    EXPECT_TRUE(eventually([&] { return fs::exists(run.model(0)); }));
    stop = true;
  });
  EXPECT_EQ(train_run(run.root(), 1, stop), TrainerEnd::stopped);
  later.join();
}

// A slow machine that comes to the end of its time has come to the end of the schedule, too.
TEST_F(TrainerTest, TheLearningRateFallsWithTheTimeWhereThatEndsTheRun) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("generations = 2"), 15, "generations = 100\nmax_minutes = 1");
  settings += "learning_rate = 0.01\nfinal_learning_rate = 0.0001\nwarmup_steps = 0\n";
  const RunDirectory run = make_run("run", 2, settings);
  fs::remove(run.complete(1));
  const auto train_once = [&](int generation) {
    train_until(run, generation);
    return json::parse(read_file(run.metrics(generation)))["learning_rate"].get<double>();
  };
  EXPECT_GT(train_once(1), 0.009);
  write_file_atomically(run.complete(1), "");
  write_json(run.status("loop"), {{"seconds", 59.9}});
  EXPECT_LT(train_once(2), 0.00011);
  // With more time the rate is higher again, which is said.
  add_games(run, 2);
  settings.replace(settings.find("max_minutes = 1"), 15, "max_minutes = 9");
  write_file_atomically(run.config(), to_toml(parse_config(settings, "test")));
  testing::internal::CaptureStderr();
  EXPECT_GT(train_once(3), 0.008);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the learning rate goes back from 0.0001 to 0.0097"),
            std::string::npos);
}

// At once the loop may be busy with ratings when the time is over, and the trainer has to know by itself.
TEST_F(TrainerTest, AContinuousRunTakesNoGamesOnceItsTimeIsOver) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("generations = 2"), 15, "generations = 2\nmode = \"continuous\"\nmax_minutes = 1");
  const RunDirectory run = make_run("run", 2, settings);
  write_json(run.status("loop"), {{"seconds", 60.0}});
  std::atomic<bool> stop{false};
  const std::jthread later([&] {
    EXPECT_TRUE(eventually([&] { return fs::exists(run.status("trainer")); }));
    stop = true;
  });
  EXPECT_EQ(train_run(run.root(), 1, stop), TrainerEnd::stopped);
  EXPECT_EQ(run.models(), 1);
  EXPECT_TRUE(json::parse(read_file(run.status("trainer"))).value("time_over", false)) << "for the loop, which ends";
  write_json(run.status("loop"), {{"seconds", 59.9}});
  EXPECT_EQ(train(run), TrainerEnd::finished);
}

// The generations may end the run before the cost is spent.
TEST_F(TrainerTest, TheLearningRateFallsWithTheGenerationsWhereTheseEndTheRun) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("generations = 2"), 15, "generations = 4\nmax_cost = 1e9");
  settings += "learning_rate = 0.01\nfinal_learning_rate = 0.0001\nwarmup_steps = 0\n";
  const RunDirectory run = make_run("run", 4, settings);
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const double last = json::parse(read_file(run.metrics(4)))["learning_rate"].get<double>();
  EXPECT_LT(last, 0.001);
  EXPECT_LT(last, json::parse(read_file(run.metrics(1)))["learning_rate"].get<double>() / 5);
}

}  // namespace
}  // namespace koridor
