// Two trainer processes on one run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "tests/train/free_port.h"
#include "tests/train/trainer_run.h"
#include "train/learner/trainer.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

class TogetherTest : public TrainerRuns {
 protected:
  // Starts two trainers of the run; each writes to a log of its own.
  void start(const RunDirectory& run) {
    const std::string port = std::to_string(free_port());
    for (int rank = 0; rank < 2; ++rank) {
      children_[rank] = ::fork();
      if (children_[rank] != 0) continue;
      ::setenv("RANK", std::to_string(rank).c_str(), 1);
      ::setenv("WORLD_SIZE", "2", 1);
      ::setenv("MASTER_ADDR", "127.0.0.1", 1);
      ::setenv("MASTER_PORT", port.c_str(), 1);
      if (::freopen(log(rank).c_str(), "w", stderr) == nullptr) ::_exit(126);
      ::execl(KORIDOR_TRAINER_PROGRAM, KORIDOR_TRAINER_PROGRAM, "--threads", "1", "--run", run.root().c_str(), nullptr);
      ::_exit(127);
    }
  }

  fs::path log(int rank) const { return root_ / fmt::format("{}.log", rank); }

  // The exit status of a trainer; 128 + signal where one ended it.
  int end_of(int rank) {
    int raw = 0;
    ::waitpid(children_[rank], &raw, 0);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }

  // Waits until the trainer's status says a step of at least `step`, and returns it.
  static int wait_for_step(const RunDirectory& run, int step) {
    for (int i = 0; i < 3000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!fs::exists(run.status("trainer"))) continue;
      const int now = read_json(run.status("trainer")).at("step");
      if (now >= step) return now;
    }
    ADD_FAILURE() << "no step " << step;
    return 0;
  }

  pid_t children_[2] = {};
};

constexpr const char* kParts = "parts = 2\n";

TEST_F(TogetherTest, TwoTrainersTrainARunAsOneDoes) {
  const RunDirectory one = make_run("one", 2, std::string(kTrainerConfig) + kParts);
  const std::atomic<bool> never{false};
  train_run(one.root(), 1, never);
  const RunDirectory two = make_run("two", 1, std::string(kTrainerConfig) + kParts);
  start(two);
  while (!fs::exists(two.model(1))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  add_games(two, 1);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
  for (const int rank : {0, 1}) EXPECT_EQ(read_file(log(rank)), "");
  for (const int generation : {1, 2}) {
    const auto a = read_json(one.metrics(generation));
    const auto b = read_json(two.metrics(generation));
    EXPECT_NEAR(a.at("loss").get<double>(), b.at("loss").get<double>(), 1e-3);
    EXPECT_NEAR(a.at("policy_kl").get<double>(), b.at("policy_kl").get<double>(), 1e-3);
    EXPECT_EQ(a.at("window_positions"), b.at("window_positions"));
    expect_same_model(one.model(generation), two.model(generation), 1e-4f);
  }
}

TEST_F(TogetherTest, AKilledTrainerEndsTheOtherAndTheRunGoesOn) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("samples_per_position = 2"), 24, "samples_per_position = 1000");
  const RunDirectory run = make_run("run", 1, settings);
  start(run);
  const int seen = wait_for_step(run, 1);
  ::kill(children_[1], SIGKILL);
  EXPECT_EQ(end_of(1), 128 + SIGKILL);
  EXPECT_EQ(end_of(0), 2);
  const std::string line = read_file(log(0));
  EXPECT_THAT(line, testing::StartsWith("koridor-trainer 1 of 2: another trainer has ended or does not answer ("));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
  // The same command goes on, and a stop that one of them is asked for ends both after the same step.
  fs::remove(run.status("trainer"));
  start(run);
  EXPECT_GT(wait_for_step(run, 1), seen) << "it began again";
  fs::remove(run.checkpoint(1).replace_extension(".partial.pt"));
  ::kill(children_[1], SIGTERM);
  EXPECT_EQ(end_of(0), 0);
  EXPECT_EQ(end_of(1), 0);
  EXPECT_TRUE(fs::exists(run.checkpoint(1).replace_extension(".partial.pt")));
}

}  // namespace
}  // namespace koridor
