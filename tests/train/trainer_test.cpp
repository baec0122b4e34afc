#include "train/learner/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/shell.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/train/trainer_run.h"
#include "train/learner/checkpoint.h"
#include "train/learner/random_shard.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TrainerTest : public TrainerRuns {
 protected:
  TrainerEnd train(const RunDirectory& run) { return train_run(run.root(), 1, never_); }

  std::atomic<bool> never_{false};
};

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
  for (int i = 0; i < 1000 && !over; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(over);
  never_ = true;
}

// Such as at a run that is finished, or one whose leader starts later: nothing says whether games will come.
TEST_F(TrainerTest, SaysThatNobodyLeadsTheRun) {
  const auto happens_within = [](std::chrono::milliseconds limit, const auto& condition) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return condition();
  };
  const auto said = [&](const RunDirectory& run, std::chrono::milliseconds patience) {
    std::atomic<bool> stop{false};
    testing::internal::CaptureStderr();
    std::jthread trainer([&] { EXPECT_EQ(train_run(run.root(), 1, stop), TrainerEnd::stopped); });
    EXPECT_TRUE(happens_within(std::chrono::minutes(1), [&] { return fs::exists(run.model(1)); }));
    // What is captured is a file, which can be read meanwhile.
    happens_within(patience, [] {
      std::stringstream text;
      text << std::ifstream("/proc/self/fd/2").rdbuf();
      return text.str().find("no process leads") != std::string::npos;
    });
    stop = true;
    trainer.join();
    return testing::internal::GetCapturedStderr();
  };
  const RunDirectory alone = make_run("alone", 1);
  EXPECT_NE(said(alone, std::chrono::minutes(1))
                .find(fmt::format("waits for the games of generation 1; no process leads the run now: "
                                  "`koridor train --run {}` does",
                                  alone.root().string())),
            std::string::npos);
  const RunDirectory led = make_run("led", 1);
  const Heartbeat leader(led.leader());
  EXPECT_EQ(said(led, std::chrono::milliseconds(2600)).find("no process leads"), std::string::npos);
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
  const auto eventually = [](const auto& condition) {
    for (int i = 0; i < 12000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  };
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
    while (!fs::exists(run.model(1))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
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
  for (int i = 0; i < 1000 && !fs::exists(run.status("trainer")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fs::rename(run.root(), root_ / "elsewhere");
  fs::create_directory(run.root());  // a mount point without its file system
  trainer.join();
  EXPECT_NE(error.find("has vanished: config.toml is not there"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(run.checkpoint(1).parent_path()) || fs::exists(run.model(1).parent_path()));
}

TEST_F(TrainerTest, StopsWhileWaiting) {
  const RunDirectory run = make_run("run", 0);
  std::atomic<bool> stop{false};
  std::thread later([&] {
    while (!fs::exists(run.model(0))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop = true;
  });
  EXPECT_EQ(train_run(run.root(), 1, stop), TrainerEnd::stopped);
  later.join();
}

TEST_F(TrainerTest, StoppedAndContinuedIsTheSameTraining) {
  const RunDirectory whole = make_run("whole", 2);
  train(whole);
  const RunDirectory parts = make_run("parts", 2);
  // A stop that is always set ends each sitting after a single step.
  const std::atomic<bool> at_once{true};
  int sittings = 0;
  while (train_run(parts.root(), 1, at_once) == TrainerEnd::stopped) {
    EXPECT_TRUE(fs::exists(parts.root() / "checkpoints" /
                           fmt::format("gen-{:04}.partial.pt", fs::exists(parts.model(1)) ? 2 : 1)));
    ASSERT_LT(++sittings, 200);
  }
  EXPECT_GT(sittings, 10);
  expect_same_model(whole.model(2), parts.model(2), 0.0f);
  // The metrics are of all steps of the generation, and not of those of the last sitting.
  const json metrics = json::parse(read_file(parts.metrics(2)));
  const json expected = json::parse(read_file(whole.metrics(2)));
  for (const char* key : {"loss", "policy_loss", "gradient_norm", "policy_entropy", "value_calibration_error"}) {
    EXPECT_NEAR(metrics[key].get<double>(), expected[key].get<double>(), 1e-9) << key;
  }
  const double samples = metrics["samples_per_second"].get<double>() * metrics["seconds"].get<double>();
  EXPECT_NEAR(samples, 16.0 * metrics["steps"].get<int>(), 1e-3);
  for (const auto& entry : fs::directory_iterator(parts.root() / "checkpoints")) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos);
  }
}

// Its loop moves a damaged shard aside and plays the games again, into a file of another name.
TEST_F(TrainerTest, GamesThatArePlayedAgainInMidGenerationAreLearnedFrom) {
  const RunDirectory whole = make_run("whole", 2);
  train(whole);
  const RunDirectory parts = make_run("parts", 2);
  const std::atomic<bool> at_once{true};
  ASSERT_EQ(train_run(parts.root(), 1, at_once), TrainerEnd::stopped);
  const auto shard = shards_in(parts.shards(0)).back();
  fs::rename(shard, shard.parent_path() / "games-000000-009.h5");
  train(parts);
  expect_same_model(whole.model(2), parts.model(2), 0.0f);
}

TEST_F(TrainerTest, ADamagedCheckpointFallsBackToTheOneBefore) {
  const RunDirectory run = make_run("run", 2);
  train(run);
  const RunDirectory other = make_run("other", 2);
  fs::remove_all(other.root());
  fs::copy(run.root(), other.root(), fs::copy_options::recursive);
  // As after a kill between checkpoint and model, with the checkpoint's disk block lost.
  fs::remove(other.model(2));
  write_file_atomically(other.checkpoint(2), read_file(other.checkpoint(2)).substr(0, 5000));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(other), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("damaged checkpoint " + other.checkpoint(2).string()),
            std::string::npos);
  expect_same_model(run.model(2), other.model(2));
}

TEST_F(TrainerTest, GoesOnFromTheModelWhereNoCheckpointIsLeft) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  fs::remove_all(run.root() / "checkpoints");
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no checkpoint can be read"), std::string::npos);
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 4);
}

// A slow machine that comes to the end of its time has come to the end of the schedule, too.
TEST_F(TrainerTest, TheLearningRateFallsWithTheTimeWhereThatEndsTheRun) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("generations = 2"), 15, "generations = 100\nmax_minutes = 1");
  settings += "learning_rate = 0.01\nfinal_learning_rate = 0.0001\nwarmup_steps = 0\n";
  const RunDirectory run = make_run("run", 2, settings);
  fs::remove(run.complete(1));
  const auto train_once = [&](int generation) {
    const std::atomic<bool> at_once{true};
    while (!fs::exists(run.model(generation))) train_run(run.root(), 1, at_once);
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
    for (int i = 0; i < 1000 && !fs::exists(run.status("trainer")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
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

// Metrics are for people to look at.
TEST_F(TrainerTest, DamagedMetricsEndNoTraining) {
  const RunDirectory run = make_run("run", 1, fmt::format("{}warmup_steps = 0\n", kTrainerConfig));
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  write_file_atomically(run.metrics(1), "{\"learning_rate\": 0.0");
  add_games(run, 1);
  EXPECT_EQ(train(run), TrainerEnd::finished);
}

// Nobody plays again what a model was made of, so that a state that waits for it would wait for ever.
TEST_F(TrainerTest, PassesOverAStateWhoseGamesAreGone) {
  const RunDirectory run = make_run("run", 2);
  train(run);
  fs::remove(run.checkpoint(2));
  fs::remove_all(run.shards(1));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find(run.checkpoint(1).string() + ": the games that come after this state"), std::string::npos)
      << warnings;
  EXPECT_NE(warnings.find("going on from " + run.model(2).string()), std::string::npos) << warnings;
}

// Games that are not there any more are done without.
TEST_F(TrainerTest, GoesOnWhereOldGamesAreGone) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  fs::remove_all(run.root() / "checkpoints");
  fs::remove_all(run.shards(0));
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no positions in " + run.shards(0).string()),
            std::string::npos);
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 2);
}

// What it started from is in that model, and need not be there any more.
TEST_F(TrainerTest, GoesOnFromTheModelWithoutWhatItStartedFrom) {
  const std::atomic<bool> at_once{true};
  const RunDirectory before = make_run("before", 1);
  while (!fs::exists(before.model(1))) train_run(before.root(), 1, at_once);
  const RunDirectory run =
      make_run("run", 1, fmt::format("{}start_from = \"{}\"\n", kTrainerConfig, before.model(1).string()));
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  fs::remove(before.model(1));
  fs::remove_all(run.root() / "checkpoints");
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no checkpoint can be read"), std::string::npos);
}

TEST_F(TrainerTest, DamagedShardsAreNamedAndSkipped) {
  const RunDirectory run = make_run("run", 2);
  const fs::path damaged = run.shards(0) / "0.h5";
  write_file_atomically(damaged, read_file(damaged).substr(0, 700));
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find(damaged.string()), std::string::npos) << warnings;
  EXPECT_EQ(json::parse(read_file(run.metrics(1)))["window_shards"], 1);
}

// A checkpoint names the window's shards in JSON.
TEST_F(TrainerTest, AShardWhoseNameIsNoTextIsNamedAndSkipped) {
  const RunDirectory run = make_run("run", 2);
  fs::rename(run.shards(0) / "0.h5", run.shards(0) / "a\xff.h5");
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  const std::string warnings = testing::internal::GetCapturedStderr();
  EXPECT_NE(warnings.find("a\\xff.h5: its name is no UTF-8; rename it"), std::string::npos) << warnings;
  EXPECT_EQ(json::parse(read_file(run.metrics(1)))["window_shards"], 1);
}

// Else every program that plays with the model would blame the model, again after each start.
TEST_F(TrainerTest, ANetworkThatOverflowsEndsTheRunBeforeItIsSaved) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  for (float& weight : checkpoint.learner.optimizer.average) weight *= 1e9f;
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  EXPECT_EQ(error_of([&] { train(run); }),
            "the network of generation 2 overflows: the training has diverged; begin a new run with a lower "
            "training.learning_rate or with training.gradient_clip");
  EXPECT_FALSE(fs::exists(run.checkpoint(2)) || fs::exists(run.model(2)));
}

// A run goes on from all of its files or not at all: what belongs to another configuration is no damage.
TEST_F(TrainerTest, StopsAtFilesOfAnotherConfiguration) {
  const RunDirectory run = make_run("run", 1);
  const fs::path foreign = run.shards(0) / "z.h5";
  write_shard(foreign.string(), random_shard(parse_game("quoridor:3x3,walls=1"), 1, 1, "another"));
  EXPECT_EQ(error_of([&] { train(run); }).rfind(foreign.string() + ": of another configuration", 0), 0u);
  fs::remove(foreign);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  checkpoint.config_hash = "another";
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  EXPECT_EQ(error_of([&] { train(run); }), run.checkpoint(1).string() + ": a checkpoint of another configuration");
  checkpoint = load_checkpoint(run.checkpoint(1));
  checkpoint.config_hash = config_hash(parse_config(kTrainerConfig, "test"));
  checkpoint.encoding_version = 7;
  save_checkpoint(run.checkpoint(1), checkpoint);
  EXPECT_NE(error_of([&] { train(run); }).find("a checkpoint of version 7 of the game's encoding"), std::string::npos);
}

// A run may go on on another machine, one without bf16 too, or with another training.bf16.
TEST_F(TrainerTest, Bf16IsGivenUpWhereItDoesNotSuit) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  Checkpoint checkpoint = load_checkpoint(run.checkpoint(1));
  EXPECT_TRUE(checkpoint.learner.arithmetic_chosen);
  checkpoint.learner.arithmetic = Arithmetic::bf16;
  save_checkpoint(run.checkpoint(1), checkpoint);
  add_games(run, 1);
  train(run);
  EXPECT_EQ(load_checkpoint(run.checkpoint(2)).learner.arithmetic, Arithmetic::f32) << "training.bf16 is false";
}

// A frozen configuration that lacks a key was written before there was such a key.
TEST_F(TrainerTest, GoesOnWithARunThatDoesNotKnowAKey) {
  const RunDirectory run = make_run("run", 1);
  const std::atomic<bool> at_once{true};
  while (!fs::exists(run.model(1))) train_run(run.root(), 1, at_once);
  std::string frozen = read_file(run.config());
  for (const std::string key : {"reply_weight = 0\n", "ema = 0.995\n", "cheap_visits = 24\n"}) {
    ASSERT_NE(frozen.find(key), std::string::npos) << key;
    frozen.erase(frozen.find(key), key.size());
  }
  write_file_atomically(run.config(), frozen);
  add_games(run, 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(json::parse(read_file(run.metrics(2)))["window_shards"], 4);
}

// Versions before this one counted every key in the hash: the run's own first model says what its files carry.
TEST_F(TrainerTest, GoesOnWithARunOfAnotherHash) {
  const RunDirectory run = make_run("run", 0);
  const std::atomic<bool> at_once{true};
  train_run(run.root(), 1, at_once);
  Model first = load_model(run.model(0).string());
  first.info.config_hash = "0123456789abcdef";
  save_model(run.model(0).string(), first);
  fs::remove_all(run.root() / "checkpoints");
  for (int generation = 0; generation < 2; ++generation) {
    write_shard((run.shards(generation) / "0.h5").string(),
                random_shard(parse_game("quoridor:3x3,walls=1"), 4, 1, "0123456789abcdef"));
    write_file_atomically(run.complete(generation), "");
  }
  EXPECT_EQ(train(run), TrainerEnd::finished);
  EXPECT_EQ(load_model(run.model(2).string()).info.config_hash, "0123456789abcdef");
}

// The program itself.
struct Ended {
  int status;
  std::string errors;
};

Ended run_program(const std::string& arguments, const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path errors = folder / "stderr";
  const int raw = std::system(
      fmt::format("{} {} > /dev/null 2> {}", shell_word(KORIDOR_TRAINER_PROGRAM), arguments, errors.string()).c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_file(errors)};
}

TEST_F(TrainerTest, TheProgramSaysWhatIsWrongInOneLine) {
  write_file_atomically(root_ / "bad" / "config.toml", "[training]\nbatchsize = 3\n");
  for (const auto& [arguments, word] : std::vector<std::pair<std::string, std::string>>{
           {"--run " + (root_ / "nothing").string(), "nothing: no run directory: there is no such folder"},
           {"--run " + (root_ / "bad").string(), "bad/config.toml: damaged"},
           {"--bench --config " + (root_ / "bad" / "config.toml").string(), "batchsize"},
           {"", "--run"},
           {"--shards x.h5", "--config"},
           {"--check", "--check needs --config as well"},
           {"--rnu x", "--rnu"}}) {
    const Ended ended = run_program(arguments, root_);
    EXPECT_EQ(ended.status, 2) << arguments;
    EXPECT_EQ(ended.errors.rfind("koridor-trainer: ", 0), 0u) << ended.errors;
    EXPECT_NE(ended.errors.find(word), std::string::npos) << ended.errors;
    EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  }
}

TEST_F(TrainerTest, TheProgramIsStoppedByASignalAndKilledWithoutHarm) {
  const RunDirectory run = make_run("run", 1);
  const auto start = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string root = run.root().string();
      ::execl(KORIDOR_TRAINER_PROGRAM, KORIDOR_TRAINER_PROGRAM, "--run", root.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  };
  const auto wait_for = [](const fs::path& path) {
    for (int i = 0; i < 3000 && !fs::exists(path); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(fs::exists(path));
  };
  pid_t child = start();
  wait_for(run.model(0));
  ::kill(child, SIGKILL);
  int raw = 0;
  ::waitpid(child, &raw, 0);
  child = start();
  wait_for(run.model(1));
  ::kill(child, SIGTERM);  // it waits for generation 1's games
  ::waitpid(child, &raw, 0);
  EXPECT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 0);
  add_games(run, 1);
  EXPECT_EQ(run_program("--run " + run.root().string(), root_).status, 0);
  EXPECT_TRUE(fs::exists(run.model(2)));
}

}  // namespace
}  // namespace koridor
