// A worker that joins a run, in this process.
#include "train/run/join.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <set>
#include <thread>

#include "core/base/file_lock.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/version.h"
#include "selfplay/generator/leases.h"
#include "selfplay/generator/worker.h"
#include "selfplay/shards/shard.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/tiny_model.h"
#include "tests/train/led_run.h"
#include "train/run/joined_workers.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JoinRun : public test::LedRun {
 protected:
  // A worker of the run, which is stopped where a test ends early.
  struct Worker {
    std::future<JoinEnd> end;
    std::atomic<bool>& stop;
    JoinEnd get() { return end.get(); }
    ~Worker() {
      if (end.valid()) stop = true;
    }
  };

  Worker join(const std::optional<Config>& given = std::nullopt) {
    return {std::async(
                std::launch::async,
                [this, given] { return join_run(run_, given, {.again_after = milliseconds(50), .show = {}}, stop_); }),
            stop_};
  }

  std::size_t games() {
    std::size_t games = 0;
    for (const auto& entry : fs::directory_iterator(run_.shards(0))) {
      if (entry.path().extension() == ".h5") games += read_shard(entry.path().string()).games();
    }
    return games;
  }
};

// A folder that is no run, perhaps by a slip of the hand, stays as it is.
TEST_F(JoinRun, NothingIsWrittenBeforeThereIsARun) {
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  fs::rename(run_.config(), folder_.path() / "config.toml");
  fs::remove_all(run_.workers());
  testing::internal::CaptureStderr();
  Worker worker = join();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(fs::exists(run_.workers()));
  fs::rename(folder_.path() / "config.toml", run_.config());
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("has no config.toml yet"));

  fs::remove(run_.config());
  stop_ = true;
  EXPECT_EQ(join().get(), JoinEnd::stopped);
}

TEST_F(JoinRun, FaultsAreWaitedForAndShown) {
  const auto model = test::tiny_model(games_of(config_)[0]);
  save_model((folder_.path() / "whole").string(), *model);
  const std::string bytes = read_file(folder_.path() / "whole");
  write_file_atomically(run_.model(0), bytes.substr(0, bytes.size() / 2));  // a copy under way
  testing::internal::CaptureStderr();
  Worker worker = join();
  EXPECT_TRUE(eventually([&] { return !stuck().empty(); }));
  EXPECT_THAT(stuck(), Contains(HasSubstr("gen-0000.koridor: truncated")));
  write_file_atomically(run_.model(0), bytes);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  EXPECT_EQ(games(), 40u);
  EXPECT_TRUE(eventually([&] { return stuck().empty(); }));

  // The whole directory goes away for a while.
  fs::rename(run_.root(), folder_.path() / "away");
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_FALSE(fs::exists(run_.root())) << "it must not be made anew";
  fs::rename(folder_.path() / "away", run_.root());
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::AllOf(HasSubstr("tried again every 0.05 s"), HasSubstr("the fault is gone"), HasSubstr("is not there")));
}

// What is wrong before a worker has a sign of life or a generation is waited for as well.
TEST_F(JoinRun, FaultsBeforeTheGamesAreWaitedFor) {
  write_file_atomically(run_.workers(), "no folder");
  config_.rating.gate = "elo0=0,elo1=50";
  config_ = parse_config(to_toml(config_), "test");
  save_run_config(run_, config_);
  write_file_atomically(run_.gate(0), "half a decision");
  write_file_atomically(run_.model(0), "half a model");
  testing::internal::CaptureStderr();
  Worker worker = join();
  std::this_thread::sleep_for(milliseconds(200));
  fs::remove(run_.workers());
  EXPECT_TRUE(eventually([&] { return !stuck().empty(); }));
  EXPECT_THAT(stuck(), Contains(HasSubstr("gen-0000.koridor")));
  // The run's games carry the hash in its models, which an older build may have made in another way.
  const auto model = test::tiny_model(games_of(config_)[0]);
  Model older = *model;
  older.info.config_hash = "of an older build";
  save_model(run_.model(0).string(), older);
  EXPECT_TRUE(eventually([&] {
    return std::ranges::any_of(stuck(), [](const std::string& line) { return line.find("gates") != line.npos; });
  }));
  fs::remove(run_.gate(0));
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  for (const auto& entry : fs::directory_iterator(run_.shards(0))) {
    if (entry.path().extension() != ".h5") continue;
    EXPECT_EQ(read_shard_info(entry.path().string()).config_hash, "of an older build");
  }
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("workers"));
}

// Another leader may have begun another run in the same directory: its games carry that one's hash.
TEST_F(JoinRun, TheGamesOfAnotherRunCarryItsHash) {
  const auto begin = [&](const char* hash, int pid) {
    Model model = *test::tiny_model(games_of(config_)[0]);
    model.info.config_hash = hash;
    save_model(run_.model(0).string(), model);
    leader_["pid"] = pid;
    write_json(run_.leader(), leader_);
  };
  const auto hashes = [&] {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(run_.shards(0))) {
      if (entry.path().extension() == ".h5") all.insert(read_shard_info(entry.path().string()).config_hash);
    }
    return all;
  };
  begin("first", 1);
  Worker worker = join();
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  EXPECT_THAT(hashes(), testing::ElementsAre("first"));
  begin("second", 2);
  // In one step: the worker may write there already.
  fs::rename(run_.shards(0), folder_.path() / "first");
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  EXPECT_THAT(hashes(), testing::ElementsAre("second"));
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
}

// The same where the loop runs at once: a leader at an earlier generation has begun the run anew.
TEST_F(JoinRun, ARunThatWasBegunAnewIsJoinedAnew) {
  config_ = parse_config(to_toml(config_), "test",
                         std::vector<std::string>{"run.mode=\"continuous\"", "run.ahead=0", "run.generations=9"});
  save_run_config(run_, config_);
  const auto begin = [&](const char* hash, int pid) {
    Model model = *test::tiny_model(games_of(config_)[0]);
    model.info.config_hash = hash;
    save_model(run_.model(0).string(), model);
    leader_.update({{"phase", "continuous"}, {"generation", 0}, {"pid", pid}});
    write_json(run_.leader(), leader_);
  };
  begin("first", 1);
  testing::internal::CaptureStderr();
  Worker worker = join();
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  fs::copy_file(run_.model(0), run_.model(1));
  leader_["generation"] = 1;
  write_json(run_.leader(), leader_);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(1)); }));
  std::this_thread::sleep_for(milliseconds(2500));  // the worker reads that the leader is there, and waits for a model
  fs::remove(run_.model(1));
  fs::remove_all(run_.shards(0).parent_path());
  begin("second", 2);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  EXPECT_FALSE(fs::exists(run_.shards(1) / "leases")) << "the model of these games is gone";
  for (const auto& entry : fs::directory_iterator(run_.shards(0))) {
    if (entry.path().extension() != ".h5") continue;
    EXPECT_EQ(read_shard_info(entry.path().string()).config_hash, "second");
  }
  stop_ = true;
  EXPECT_EQ(worker.get(), JoinEnd::stopped);
  testing::internal::GetCapturedStderr();
}

// Whoever is at work when another run begins in the directory ends that work and takes the new run up.
TEST_F(JoinRun, ARunOfAnotherConfigurationIsTakenUp) {
  for (const std::string mode : {"step", "continuous"}) {
    const auto begin = [&](int seed, const char* phase) {
      config_ = parse_config(to_toml(config_), "test",
                             std::vector<std::string>{"run.mode=\"" + mode + "\"", "selfplay.games=100000",
                                                      fmt::format("run.seed={}", seed)});
      save_run_config(run_, config_);
      leader_.update({{"phase", phase}, {"pid", seed}});
      write_json(run_.leader(), leader_);
    };
    fs::remove_all(run_.shards(0));
    save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
    begin(1, mode == "continuous" ? "continuous" : "play");
    testing::internal::CaptureStderr();
    Worker worker = join();
    EXPECT_TRUE(eventually([&] { return !count_leases(run_.shards(0)).held.empty(); })) << mode;
    begin(2, "train");
    EXPECT_TRUE(eventually([&] { return count_leases(run_.shards(0)).held.empty(); })) << mode;
    stop_ = true;
    EXPECT_EQ(worker.get(), JoinEnd::stopped);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("another run was begun here")) << mode;
    stop_ = false;
  }
}

// Also where it has the same configuration, and the worker waits for games that others hold in the run before.
TEST_F(JoinRun, TheSameRunBegunAnewIsTakenUp) {
  const auto begin = [&](int pid) {
    const RunDirectory begun(folder_.path() / "begun");  // by another process: this one makes no run that it uses anew
    save_run_config(begun, config_);
    save_model(begun.model(0).string(), *test::tiny_model(games_of(config_)[0]));
    fs::create_directories(begun.workers());
    leader_["pid"] = pid;
    write_json(begun.leader(), leader_);
    fs::remove_all(run_.root());
    fs::rename(begun.root(), run_.root());
  };
  begin(1);
  const WorkerSign other(run_.workers(), "joined");
  for (const GameRange& range : ranges_of(config_.selfplay.games)) {
    write_file_atomically(run_.shards(0) / "leases" / (range.name() + ".0.lease"), other.name() + "\n");
  }
  testing::internal::CaptureStderr();
  Worker worker = join();
  const auto waits = [&] {
    const std::vector<RunProcess> all = status().processes;
    return std::ranges::any_of(all, [](const RunProcess& one) { return one.doing.starts_with("waits for others'"); });
  };
  EXPECT_TRUE(eventually(waits));
  fs::rename(run_.root(), folder_.path() / "before");
  begin(2);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is gone, as where the run was begun anew"));
}

TEST_F(JoinRun, SignsOfThoseThatLeftGo) {
  using Clock = JoinedWorkers::Clock;
  const auto beat = [&](const char* name, const char* state, int counter) {
    write_json(run_.workers() / (std::string(name) + ".json"),
               {{"role", "joined"}, {"state", state}, {"counter", counter}, {"generation", 3}});
  };
  JoinedWorkers workers(run_);
  const json own{{"positions_per_second", 5.0}};
  EXPECT_EQ(workers.speeds(own, 3, 2.0), own);
  const Clock::time_point begin = Clock::now();
  for (int minute = 0; minute <= 61; ++minute) {
    if (minute == 0) beat("ended", "ended", 7);
    if (minute == 0) beat("silent", "running", 7);
    beat("living", "running", minute);
    workers.tidy(begin + std::chrono::minutes(minute));
    EXPECT_EQ(fs::exists(run_.workers() / "ended.json"), minute < 1) << minute;
    EXPECT_EQ(fs::exists(run_.workers() / "silent.json"), minute < 60) << minute;
  }
  EXPECT_TRUE(fs::exists(run_.workers() / "living.json"));
  EXPECT_EQ(workers.speeds(own, 3, 2.0), (json{{"played_seconds", 2.0}}));
  EXPECT_EQ(workers.speeds(own, 4, 2.0), own);
}

TEST_F(JoinRun, AWorkerThatIsStoppedGivesBackWhatItHolds) {
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  Worker worker = join();
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.shards(0) / "leases"); }));
  stop_ = true;
  EXPECT_EQ(worker.get(), JoinEnd::stopped);
  EXPECT_THAT(count_leases(run_.shards(0)).held, IsEmpty());
  const std::vector<RunProcess> processes = status().processes;
  ASSERT_THAT(processes, SizeIs(2));
  EXPECT_EQ(processes[1].state, "ended");
}

// Another build might play other games: a worker under way gives its games back as one that joins is refused.
TEST_F(JoinRun, ALeaderOfAnotherBuildEndsTheWork) {
  for (const std::string mode : {"step", "continuous"}) {
    config_ = parse_config(to_toml(config_), "test",
                           std::vector<std::string>{"run.mode=\"" + mode + "\"", "selfplay.games=100000"});
    save_run_config(run_, config_);
    fs::remove_all(run_.shards(0));
    save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
    lead("running");
    leader_["phase"] = mode == "continuous" ? "continuous" : "play";
    write_json(run_.leader(), leader_);
    Worker worker = join();
    EXPECT_TRUE(eventually([&] { return !count_leases(run_.shards(0)).held.empty(); })) << mode;
    leader_["version"] = "9.9.9";
    write_json(run_.leader(), leader_);
    EXPECT_THAT(error_of([&] { worker.get(); }), HasSubstr("is led by koridor 9.9.9")) << mode;
    EXPECT_THAT(count_leases(run_.shards(0)).held, IsEmpty()) << mode;
  }
}

// What the last leader was is of no matter: after an update the next one is waited for.
TEST_F(JoinRun, ALeaderOfAnotherBuildThatHasEndedIsWaitedOut) {
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  lead("stopped");
  leader_["version"] = "9.9.9";
  write_json(run_.leader(), leader_);
  Worker worker = join();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_FALSE(fs::exists(run_.shards(0)));
  lead("running");
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
}

TEST_F(JoinRun, AFinishedRunIsFinishedWhateverBuildHasLedIt) {
  lead("finished");
  leader_["version"] = "9.9.9";
  write_json(run_.leader(), leader_);
  EXPECT_EQ(join().get(), JoinEnd::finished);
}

// Also while there is nothing to play, and where nobody leads the run.
TEST_F(JoinRun, AnotherConfigurationIsRefusedInEveryState) {
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  Config other = config_;
  ++other.run.seed;
  const auto refused = [&] {
    EXPECT_THAT(error_of([&] { join(other).get(); }), HasSubstr("belongs to another configuration: run.seed"));
  };
  lead("finished");
  refused();
  leader_.update({{"state", "stopped"}, {"phase", "train"}});
  write_json(run_.leader(), leader_);
  refused();
  fs::remove(run_.leader());
  refused();
}

// The loop locks a run that is to go on before it checks what it needs, and gives its sign of life later.
TEST_F(JoinRun, AFinishedRunThatIsAboutToGoOnIsWaitedFor) {
  lead("finished");
  const int file = ::open(run_.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(file, 0);
  const pid_t loop = ::fork();
  if (loop == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    ::fcntl(file, F_SETLK, &lock);
    for (;;) ::pause();
  }
  EXPECT_TRUE(eventually([&] { return lock_holder(run_.lock()) == loop; }));
  Worker worker = join();
  EXPECT_EQ(worker.end.wait_for(milliseconds(300)), std::future_status::timeout) << "there may be games yet";
  ::kill(loop, SIGKILL);
  ::waitpid(loop, nullptr, 0);
  ::close(file);
  EXPECT_EQ(worker.get(), JoinEnd::finished);
}

// Threads, slots and device are the worker's own; of other keys that may change the run's values count.
TEST_F(JoinRun, AWorkersThreadsAndSlotsAreThoseOfTheConfigurationGiven) {
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  const Config given = parse_config(
      to_toml(config_), "test", std::vector<std::string>{"run.threads=2", "selfplay.slots=3", "run.generations=77"});
  fs::create_directories(run_.root() / "status");
  testing::internal::CaptureStderr();
  Worker worker = join(given);
  EXPECT_TRUE(eventually([&] { return fs::exists(run_.complete(0)); }));
  lead("finished");
  EXPECT_EQ(worker.get(), JoinEnd::finished);
  const json asked = read_json(run_.joined_slots(host_name(), "auto", 2, 0))["asked"];
  EXPECT_EQ(asked["threads"], 2);
  EXPECT_EQ(asked["slots"], 3);
  EXPECT_EQ(asked["device"], "auto");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("run.threads, selfplay.slots, selfplay.device: run.generations is "));
}

// In step every game follows from its generation's model.
TEST_F(JoinRun, ALeaderThatPlaysInStepEndsTheWorkAtOnce) {
  const auto play = [&](const std::string& mode) {
    config_ = parse_config(to_toml(config_), "test",
                           std::vector<std::string>{"run.mode=\"" + mode + "\"", "selfplay.games=100000"});
    save_run_config(run_, config_);
  };
  play("continuous");
  save_model(run_.model(0).string(), *test::tiny_model(games_of(config_)[0]));
  leader_["phase"] = "continuous";
  write_json(run_.leader(), leader_);
  Worker worker = join();
  EXPECT_TRUE(eventually([&] { return !count_leases(run_.shards(0)).held.empty(); }));
  play("step");
  leader_.update({{"phase", "train"}, {"pid", this_process().pid}, {"start", this_process().start}});
  write_json(run_.leader(), leader_);
  EXPECT_TRUE(eventually([&] { return count_leases(run_.shards(0)).held.empty(); }));
  stop_ = true;
  EXPECT_EQ(worker.get(), JoinEnd::stopped);
}

}  // namespace
}  // namespace koridor
