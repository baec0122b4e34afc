// Several trainer processes on one run.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "tests/eventually.h"
#include "tests/train/free_port.h"
#include "tests/train/trainer_run.h"
#include "train/learner/trainer.h"
#include "train/run/run_config.h"
#include "train/run/run_status.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

class TogetherTest : public TrainerRuns {
 protected:
  void TearDown() override {
    for (int rank = 0; rank < kMost; ++rank) {
      if (children_[rank] == 0) continue;
      ::kill(children_[rank], SIGKILL);
      end_of(rank);
    }
  }

  // Starts trainers of the run; each writes to a log of its own. The last one may be given another configuration.
  void start(const RunDirectory& run, int size = 2, const std::string& last_config = "") {
    const std::string port = std::to_string(free_port());
    for (int rank = 0; rank < size; ++rank) {
      children_[rank] = ::fork();
      if (children_[rank] != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const std::string config = rank == size - 1 && !last_config.empty() ? last_config : run.config().string();
      ::setenv("RANK", std::to_string(rank).c_str(), 1);
      ::setenv("WORLD_SIZE", std::to_string(size).c_str(), 1);
      ::setenv("MASTER_ADDR", "127.0.0.1", 1);
      ::setenv("MASTER_PORT", port.c_str(), 1);
      if (::freopen(log(rank).c_str(), "w", stderr) == nullptr) ::_exit(126);
      ::execl(KORIDOR_TRAINER_PROGRAM, KORIDOR_TRAINER_PROGRAM, "--threads", "1", "--run", run.root().c_str(),
              "--config", config.c_str(), nullptr);
      ::_exit(127);
    }
  }

  fs::path log(int rank) const { return folder_ / fmt::format("{}.log", rank); }

  // The exit status of a trainer; 128 + signal where one ended it.
  int end_of(int rank) {
    int raw = 0;
    ::waitpid(std::exchange(children_[rank], 0), &raw, 0);
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }

  // Waits until the trainer's status says a step of at least `step`, and returns it.
  static int wait_for_step(const RunDirectory& run, int step) {
    int now = 0;
    EXPECT_TRUE(eventually([&] {
      if (fs::exists(run.status("trainer"))) now = read_json(run.status("trainer")).at("step");
      return now >= step;
    })) << "no step "
        << step;
    return now;
  }

  static constexpr int kMost = 3;
  pid_t children_[kMost] = {};
};

constexpr const char* kParts = "parts = 2\n";

TEST_F(TogetherTest, TwoTrainersTrainARunAsOneDoes) {
  const RunDirectory one = make_run("one", 2, std::string(kTrainerConfig) + kParts);
  train(one);
  const RunDirectory two = make_run("two", 1, std::string(kTrainerConfig) + kParts);
  // One of them has read the configuration before it got its present number of generations.
  const fs::path earlier = folder_ / "earlier.toml";
  Config config = load_config(two.config().string());
  config.run.generations = 1;
  write_file_atomically(earlier, to_toml(config));
  start(two, 2, earlier.string());
  ASSERT_TRUE(eventually([&] { return fs::exists(two.model(1)); }));
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

// One that the others do not join is seen, and says where it waits.
TEST_F(TogetherTest, ATrainerThatWaitsForTheOthersHasASign) {
  const RunDirectory run = make_run("run", 1);
  const RankPlace place{.rank = 1, .size = 2, .host = "127.0.0.1", .port = free_port()};
  std::atomic<bool> stop{false};
  TrainerEnd end = TrainerEnd::finished;
  std::jthread trainer([&] { end = train_run(run.root(), load_run_config(run), 1, stop, place); });
  EXPECT_TRUE(eventually([&] { return fs::exists(run.trainer(1)); }));
  const std::vector<RunProcess> processes = run_status(run, std::chrono::milliseconds(0), never_).processes;
  EXPECT_THAT(processes, testing::ElementsAre(testing::Field(
                             &RunProcess::doing,
                             fmt::format("waits for other trainers at 127.0.0.1:{} (trainer 2 of 2)", place.port))));
  stop = true;
  trainer.join();
  EXPECT_EQ(end, TrainerEnd::stopped);
  EXPECT_FALSE(fs::exists(run.trainer(1)));
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
  // More of them go on, and a stop that one of them is asked for ends all after the same step.
  fs::remove(run.status("trainer"));
  start(run, 3);
  EXPECT_GT(wait_for_step(run, 1), seen) << "it began again";
  fs::remove(run.checkpoint(1).replace_extension(".partial.pt"));
  ::kill(children_[1], SIGTERM);
  for (const int rank : {0, 1, 2}) EXPECT_EQ(end_of(rank), 0);
  EXPECT_TRUE(fs::exists(run.checkpoint(1).replace_extension(".partial.pt")));
}

// Sees at once which files are made in a folder.
class FolderWatch {
 public:
  explicit FolderWatch(const fs::path& folder) : watch_(::inotify_init1(IN_CLOEXEC)) {
    fs::create_directories(folder);
    EXPECT_GE(::inotify_add_watch(watch_, folder.c_str(), IN_CREATE), 0);
  }
  ~FolderWatch() { ::close(watch_); }
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Waits for a file whose name begins so; false where there is none for a minute.
  bool wait_for(const std::string& name) const {
    constexpr int kLongest = 60'000;  // milliseconds
    pollfd made{.fd = watch_, .events = POLLIN, .revents = 0};
    while (::poll(&made, 1, kLongest) == 1) {
      alignas(inotify_event) std::array<char, 4096> events{};
      const ssize_t bytes = ::read(watch_, events.data(), events.size());
      for (ssize_t at = 0; at < bytes;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(events.data() + at);
        if (event->len > 0 && std::string_view(event->name).starts_with(name)) return true;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
    return false;
  }

 private:
  int watch_;
};

TEST_F(TogetherTest, ATrainerThatDiesAfterTheLastStepCostsNothing) {
  std::string settings = kTrainerConfig;
  settings.replace(settings.find("samples_per_position = 2"), 24, "samples_per_position = 0.01");
  // The first writes its status after the only step, and is stopped as soon as it begins to. Where it has come further
  // before that, another run is begun.
  bool in_time = false;
  for (int attempt = 1; attempt <= 5 && !in_time; ++attempt) {
    const RunDirectory run = make_run(fmt::format("run-{}", attempt), 1, settings);
    const FolderWatch status(run.status("trainer").parent_path());
    start(run);
    EXPECT_TRUE(status.wait_for(run.status("trainer").filename().string() + "."));
    ::kill(children_[0], SIGSTOP);
    ::waitpid(children_[0], nullptr, WUNTRACED);
    in_time = !fs::exists(run.model(1));
    ::kill(children_[1], SIGKILL);
    end_of(1);
    ::kill(children_[0], SIGCONT);
    EXPECT_EQ(end_of(0), 2);
    EXPECT_TRUE(fs::exists(run.model(1)));
    EXPECT_TRUE(fs::exists(run.checkpoint(1)));
  }
  EXPECT_TRUE(in_time);
}

TEST_F(TogetherTest, PartsThatCannotBeSharedAreNoFaultOfACheckpoint) {
  const RunDirectory run = make_run("run", 0, std::string(kTrainerConfig) + "parts = 3\n");
  train_run(run.root(), 1, std::atomic<bool>{true});
  ASSERT_TRUE(fs::exists(run.checkpoint(0)));
  start(run);
  EXPECT_EQ(end_of(0), 2);
  EXPECT_EQ(end_of(1), 2);
  const std::string line = read_file(log(0));
  EXPECT_THAT(line, testing::StartsWith("koridor-trainer 1 of 2: training.parts: 2 trainers cannot share 3 parts; "));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
}

}  // namespace
}  // namespace koridor
