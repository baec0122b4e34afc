#include "selfplay/generator/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/random.h"
#include "selfplay/generator/worker_parts.h"
#include "tests/eventually.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/selfplay/worker_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(Worker, PlaysAGeneration) {
  const TemporaryFolder folder;
  const SelfplayJob job = job_in(folder.path(), 200);
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_THAT(games_in(job.shards), SizeIs(200));
  EXPECT_GT(shards_in(job.shards).size(), 1u);
  EXPECT_TRUE(fs::exists(job.complete));
  const auto status = nlohmann::json::parse(read_file(job.status));
  EXPECT_EQ(status["state"], "complete");
  EXPECT_EQ(status["generation"], 2);
  EXPECT_EQ(status["games"], 200);
  EXPECT_EQ(status["games_wanted"], 200);
  EXPECT_GT(status["positions_per_second"], 0);
  EXPECT_GT(status["evaluations_per_second"], 0);
  EXPECT_GT(status["mean_plies"], 1);
  EXPECT_GE(status["network_share"], 0);
  const ShardInfo info = read_shard_info(shards_in(job.shards)[0].string());
  EXPECT_EQ(info.generation, 2);
  EXPECT_EQ(info.seed, 5u);
  EXPECT_EQ(info.config_hash, "abc");
}

TEST(Worker, BoardsOfARunHaveRandomNumbersOfTheirOwn) {
  const TemporaryFolder folder;
  const SelfplayJob first = job_in(folder.path() / "first", 20);
  SelfplayJob second = job_in(folder.path() / "second", 20);
  second.board = 1;
  EXPECT_EQ(first.game_seed(), 5u) << "a run of one board plays what it always played";
  run_selfplay_worker(first, kNeverStop);
  run_selfplay_worker(second, kNeverStop);
  EXPECT_NE(games_in(first.shards), games_in(second.shards));
  EXPECT_EQ(read_shard_info(shards_in(second.shards)[0].string()).seed, 5u) << "the shards say the run's";
}

TEST(Worker, GenerationZeroMayHaveAnotherNumberOfGames) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 20);
  job.generation = 0;
  job.selfplay.first_games = 33;
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_THAT(games_in(job.shards), SizeIs(33));
}

TEST(Worker, GoesOnWhereItStopped) {
  const TemporaryFolder whole_folder;
  const SelfplayJob whole = job_in(whole_folder.path(), 300);
  run_selfplay_worker(whole, kNeverStop);

  const TemporaryFolder folder;
  const SelfplayJob job = job_in(folder.path(), 300);
  std::atomic<bool> stop{false};
  std::thread stopper([&] {
    while (!fs::exists(job.shards) || shards_in(job.shards).empty()) std::this_thread::yield();
    stop = true;
  });
  const WorkerEnd first = run_selfplay_worker(job, stop);
  stopper.join();
  const std::size_t before = games_in(job.shards).size();
  EXPECT_GT(before, 0u);
  if (first == WorkerEnd::stopped) {
    EXPECT_LT(before, 300u);
    EXPECT_FALSE(fs::exists(job.complete));
    EXPECT_EQ(nlohmann::json::parse(read_file(job.status))["state"], "stopped");
  }
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_EQ(games_in(job.shards), games_in(whole.shards));
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);  // and again: nothing to do
  EXPECT_THAT(games_in(job.shards), SizeIs(300));
}

// What the next test kills: this program started again to run this one test in a folder given by its environment.
constexpr const char* kChildFolder = "KORIDOR_TEST_CHILD_FOLDER";
constexpr int kChildGames = 400;

SelfplayJob child_job(const fs::path& folder) {
  SelfplayJob job = job_in(folder, kChildGames);
  job.game = parse_game("quoridor:5x5,walls=2");
  job.selfplay.shard_seconds = 0.02;
  return job;
}

TEST(WorkerChild, DISABLED_PlaysUntilItIsKilled) {
  const char* folder = std::getenv(kChildFolder);
  ASSERT_NE(folder, nullptr);
  run_selfplay_worker(child_job(folder), kNeverStop);
}

// Whether this process has games in files, be they in its own folder or beside the lists: its number is in their names.
bool has_written(const fs::path& shards, pid_t process) {
  const std::string mark = "-" + std::to_string(process) + "-";
  std::error_code error;
  for (fs::recursive_directory_iterator entry(shards, error), end; entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".h5") && name.find(mark) != std::string::npos) return true;
  }
  return false;
}

// Another worker, in this process, plays beside those that are killed.
TEST(Worker, KilledAtRandomMomentsItFinishesWithEachGameOnce) {
  const TemporaryFolder folder;
  const auto seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const SelfplayJob job = child_job(folder.path());
  ::setenv(kChildFolder, folder.path().c_str(), 1);
  std::thread other_worker;
  int wrote = 0;
  for (int kill = 0; kill < 6; ++kill) {
    if (kill == 2) other_worker = std::thread([&] { run_selfplay_worker(job, kNeverStop); });
    const pid_t child = ::fork();
    if (child == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
      ::execl("/proc/self/exe", "worker", "--gtest_also_run_disabled_tests", "--gtest_filter=WorkerChild.*", nullptr);
      ::_exit(127);
    }
    ASSERT_GT(child, 0);
    for (int i = 0; i < 3000 && !has_written(job.shards, child) && !fs::exists(job.complete); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(60)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "the child failed";
    wrote += has_written(job.shards, child) ? 1 : 0;
  }
  ::unsetenv(kChildFolder);
  other_worker.join();
  EXPECT_GT(wrote, 0) << "a killed worker must have left games";
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_THAT(names_in(job.shards / "workers"), Each(Not(EndsWith(".json")))) << "the signs of the killed are gone";
  const TemporaryFolder other;
  const SelfplayJob whole = child_job(other.path());
  run_selfplay_worker(whole, kNeverStop);
  EXPECT_EQ(games_in(job.shards), games_in(whole.shards));
  EXPECT_THAT(games_in(job.shards), SizeIs(kChildGames));
  for (const auto& entry : fs::directory_iterator(job.shards)) EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST(Worker, SeveralWorkersShareAGeneration) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 400);
  job.status.clear();
  std::atomic<std::uint64_t> most{0};
  job.progress = [&](const SelfplayStatistics&, std::uint64_t known) {
    std::uint64_t before = most;
    while (known > before && !most.compare_exchange_weak(before, known)) continue;
  };
  std::vector<std::unique_ptr<WorkerSign>> signs;
  for (int i = 0; i < 3; ++i) signs.push_back(std::make_unique<WorkerSign>(folder.path() / "workers", "joined"));
  std::vector<std::thread> threads;
  for (const auto& sign : signs) threads.emplace_back([&] { run_selfplay_worker(job, *sign, kNeverStop); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(games_in(job.shards), SizeIs(400));
  std::uint64_t sum = 0;
  for (const auto& sign : signs) {
    const auto said = *read_heartbeat(sign->heartbeat().file());
    const auto played = member(said, "games", std::uint64_t{0});  // 0 where it came when all was played
    EXPECT_TRUE(played == 0 || said["file_operations"] > 0) << said;
    sum += played;
  }
  EXPECT_EQ(sum, 400u);
  EXPECT_LE(most, 400u) << "no game is shown twice";
}

// Where the rest of the games is in others' hands, a worker ends its threads and waits for what they do.
TEST(Worker, WhatTimeGoesToIsTold) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 160);
  job.patient = true;
  std::uint64_t told = 0;
  job.progress = [&](const SelfplayStatistics& now, std::uint64_t) { told = now.games; };
  WorkerSign other(folder.path() / "workers", "joined");
  write_file_atomically(job.shards / "leases" / "000016-000031.0.lease", other.name() + "\n");
  WorkerSign sign(folder.path() / "workers", "joined");
  const auto said = [&] { return *read_heartbeat(sign.heartbeat().file()); };
  std::thread worker([&] { run_selfplay_worker(job, sign, kNeverStop); });
  EXPECT_TRUE(eventually([&] {
    sign.heartbeat().write();
    return member(said(), "doing", std::string()) == "waits for others' games of generation 2";
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  write_file_atomically(job.shards / "leases" / "000016-000031.0.free", other.name() + "\n");
  worker.join();
  EXPECT_THAT(games_in(job.shards), SizeIs(160));
  // It has played twice, and tells of both.
  const nlohmann::json status = read_json(job.status);
  EXPECT_EQ(told, 160u);
  EXPECT_EQ(said()["games"], 160);
  const auto lengths = status["lengths"].get<std::vector<int>>();
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), 0), 160);
  const nlohmann::json time = said()["time"];
  EXPECT_GE(time["others"], 0.2);
  EXPECT_GT(time["games"], 0);
  EXPECT_GT(time["look"], 0);
  EXPECT_LE(said()["seconds_playing"], time["games"]);
  double sum = 0;
  for (const auto& [name, seconds] : time.items()) sum += seconds.get<double>();
  EXPECT_LE(sum, said()["seconds"].get<double>() + 1e-3);
  EXPECT_EQ(shards_in(job.shards).size(), 10u) << "one for each range, though shards are due all the time";
}

// Calls to the file system are counted from the beginning of a generation, games from that of each round of play.
TEST(WorkerSign, CountsEveryCallToTheFileSystemOnce) {
  const TemporaryFolder folder;
  WorkerSign sign(folder.path() / "workers", "joined");
  const auto plays = [&](std::uint64_t games, std::uint64_t operations) {
    SelfplayStatistics now;
    now.games = games;
    sign.plays(now, 1, 2, operations);
    sign.played();
  };
  sign.begins_work();
  plays(3, 10);
  plays(2, 15);
  sign.operates(17);  // the look
  sign.ends_work();
  EXPECT_EQ((*read_heartbeat(sign.heartbeat().file()))["file_operations"], 17);
  sign.begins_work();
  plays(1, 4);
  sign.ends_work();
  const nlohmann::json said = *read_heartbeat(sign.heartbeat().file());
  EXPECT_EQ(said["file_operations"], 21);
  EXPECT_EQ(said["games"], 6);
}

TEST(MostRanges, WorkersThatHaveEndedGetNone) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i) write_json(folder.path() / fmt::format("a-{:02}.json", i), {{"state", "ended"}});
  const WorkerSign sign(folder.path(), "joined");
  EXPECT_EQ(most_ranges(sign, 100), 100u);
  write_json(folder.path() / "b.json", {{"state", "running"}});
  EXPECT_EQ(most_ranges(sign, 100), 50u);
}

TEST(Worker, WhatIsDueIsWrittenSoon) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 100000);
  job.selfplay.shard_seconds = 0.1;
  std::atomic<bool> stop{false};
  double first = 0;
  job.progress = [&](const SelfplayStatistics& now, std::uint64_t) {
    if (first == 0) first = now.seconds;
    stop = true;
  };
  EXPECT_EQ(run_selfplay_worker(job, stop), WorkerEnd::stopped);
  EXPECT_LT(first, 0.5) << "a tick, which writes it";
}

TEST(Worker, GamesWithTheRepetitionRuleGoToShardsOfTheirOwn) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 80);
  job.selfplay.repetition_share = 0.5;
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_THAT(games_in(job.shards), SizeIs(80));
  std::set<std::string> rules;
  for (const fs::path& path : shards_in(job.shards)) rules.insert(read_shard_info(path.string()).rules["repetition"]);
  EXPECT_EQ(rules, (std::set<std::string>{"0", "3"}));
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
}

TEST(Worker, PlaysWithANetworkAndItsCacheChangesNothing) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 30);
  const auto shape = std::get<wall::WallGame>(job.game).encoding(job.features);
  job.model = folder.path() / "model.koridor";
  save_model(job.model.string(), small_random_model(shape));
  job.selfplay.evaluation.backend = "onednn";
  job.selfplay.evaluation.cache_mebibytes = 1;
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  const auto games = games_in(job.shards);
  const auto status = nlohmann::json::parse(read_file(job.status));
  EXPECT_GT(status["cache_hit_share"], 0.05);
  EXPECT_THAT(status["evaluator"].get<std::string>(), HasSubstr("onednn"));

  job.selfplay.evaluation.cache_mebibytes = 0;
  job.shards = folder.path() / "uncached";
  job.complete = job.shards / "complete";
  run_selfplay_worker(job, kNeverStop);
  EXPECT_EQ(games_in(job.shards), games);
  EXPECT_EQ(nlohmann::json::parse(read_file(job.status))["cache_hit_share"], 0);
}

TEST(Worker, KeepsItsChoiceOfSlots) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 50);
  job.choice = folder.path() / "status" / "slots.json";
  run_selfplay_worker(job, kNeverStop);
  const auto games = games_in(job.shards);

  job.selfplay.slots = 0;
  job.shards = folder.path() / "chosen";
  job.complete = job.shards / "complete";
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_EQ(games_in(job.shards), games);
  auto kept = nlohmann::json::parse(read_file(job.choice));
  EXPECT_EQ(kept["slots"], 50 / 4 / 2);
  EXPECT_EQ(nlohmann::json::parse(read_file(job.status))["slots"], 50 / 4 / 2);

  kept["slots"] = 3;
  write_file_atomically(job.choice, kept.dump());
  job.shards = folder.path() / "kept";
  job.complete = job.shards / "complete";
  run_selfplay_worker(job, kNeverStop);
  EXPECT_EQ(nlohmann::json::parse(read_file(job.status))["slots"], 3);
  EXPECT_EQ(games_in(job.shards), games);

  const auto slots_in = [&](const nlohmann::json& file, const std::string& name) {
    write_file_atomically(job.choice, file.dump());
    job.shards = folder.path() / name;
    job.complete = job.shards / "complete";
    ::testing::internal::CaptureStderr();
    run_selfplay_worker(job, kNeverStop);
    return std::pair(nlohmann::json::parse(read_file(job.status))["slots"].get<int>(),
                     ::testing::internal::GetCapturedStderr());
  };
  // Neither the choice for another device nor one that cannot be is kept.
  nlohmann::json other = kept;
  other["asked"]["device"] = "cuda:1";
  EXPECT_EQ(slots_in(other, "device"), std::pair(50 / 4 / 2, std::string()));
  kept["slots"] = 100000;
  const auto [slots, warning] = slots_in(kept, "damaged");
  EXPECT_EQ(slots, 50 / 4 / 2);
  EXPECT_THAT(warning, HasSubstr("damaged: it must name 1 to 1024 threads and 1 to 1024 slots"));
}

}  // namespace
}  // namespace koridor
