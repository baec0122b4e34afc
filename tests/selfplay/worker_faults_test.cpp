// What a worker does where something fails: no finished game is lost, and what is wrong is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <variant>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/generator/worker.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/selfplay/worker_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// What ends the threads here is an error of who is told; an evaluator's takes the same way.
TEST(Worker, AnErrorLosesNoFinishedGame) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 20000);
  job.selfplay.shard_seconds = 1000;
  std::uint64_t finished = 0;
  job.progress = [&](const SelfplayStatistics& now, std::uint64_t) {
    finished = now.games;
    throw UserError("broken");
  };
  EXPECT_THAT([&] { run_selfplay_worker(job, kNeverStop); }, ::testing::ThrowsMessage<UserError>("broken"));
  std::set<std::uint32_t> stored;
  for (const auto& entry : fs::recursive_directory_iterator(job.shards)) {
    if (entry.path().extension() != ".h5") continue;
    const ShardData data = read_shard(entry.path().string());
    stored.insert(data.game_number.begin(), data.game_number.end());
  }
  EXPECT_GT(finished, 0u);
  EXPECT_EQ(stored.size(), finished);
}

// The first ranges are taken before the threads play: a range that is taken when the next one cannot be must not be
// lost.
TEST(Worker, AFaultAtTheBeginningLosesNoRange) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 80);
  job.selfplay.slots = 100;
  job.patient = true;
  job.again_after = std::chrono::milliseconds(20);
  for (const char* range : {"000016-000031", "000048-000063"}) {
    for (const char* kind : {".0.lease", ".0.free"}) {
      write_file_atomically(job.shards / "leases" / (std::string(range) + kind), "somebody\n");
    }
  }
  write_file_atomically(job.shards / "work" / "somebody", "no folder");
  std::atomic<bool> stop{false};
  ::testing::internal::CaptureStderr();
  std::thread mender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    fs::remove(job.shards / "work" / "somebody");
    EXPECT_TRUE(eventually([&] { return fs::exists(job.complete); }));
    stop = true;
  });
  EXPECT_EQ(run_selfplay_worker(job, stop), WorkerEnd::complete);
  mender.join();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the fault is gone"));
  EXPECT_THAT(games_in(job.shards), SizeIs(80));
}

TEST(Worker, DamagedShardsAreMovedAsideAndPlayedAgain) {
  const TemporaryFolder folder;
  // Two sittings make two shards, however fast the machine is.
  run_selfplay_worker(job_in(folder.path(), 60), kNeverStop);
  const SelfplayJob job = job_in(folder.path(), 120);
  run_selfplay_worker(job, kNeverStop);
  const auto games = games_in(job.shards);
  const auto shards = shards_in(job.shards);
  ASSERT_GE(shards.size(), 2u);
  fs::resize_file(shards[0], fs::file_size(shards[0]) / 2);
  ShardData later = read_shard(shards[1].string());
  later.game_model[0] = 3;  // which was made of this generation
  write_shard(shards[1].string(), later);
  write_file_atomically(job.shards / "games-999999-000.h5", "no shard");
  write_file_atomically(job.shards / "games-000000-000.h5.99999999.tmp", "half a shard");

  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(shards[0].string()));
  EXPECT_THAT(log, HasSubstr("truncated"));
  EXPECT_THAT(log, HasSubstr("was played by model 3, which is later than its generation 2"));
  EXPECT_THAT(log, HasSubstr("games-999999-000.h5: not a Koridor shard"));
  EXPECT_TRUE(fs::exists(shards[0].string() + ".damaged"));
  EXPECT_FALSE(fs::exists(job.shards / "games-000000-000.h5.99999999.tmp"));
  EXPECT_EQ(games_in(job.shards), games);
}

TEST(Worker, AGameIsCountedOnce) {
  const TemporaryFolder folder;
  const SelfplayJob job = job_in(folder.path(), 60);
  run_selfplay_worker(job, kNeverStop);
  const auto games = games_in(job.shards);
  fs::copy_file(shards_in(job.shards)[0], job.shards / "games-000000-900.h5");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("another shard has"));
  EXPECT_EQ(games_in(job.shards), games);
}

TEST(Worker, AnotherRunsFolderIsRefused) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 20);
  run_selfplay_worker(job, kNeverStop);
  job.seed = 6;
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
  // Also where games are still to be played, and then before any is.
  for (const fs::path& shard : shards_in(job.shards)) {
    if (shard.filename().string().starts_with("games-000016-")) fs::remove(shard);
  }
  const auto shards = shards_in(job.shards);
  fs::remove(job.shards / "leases" / "000016-000019.done");
  fs::remove(job.complete);
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
  EXPECT_EQ(shards_in(job.shards), shards);
  EXPECT_FALSE(fs::exists(job.shards / "leases" / "000016-000019.done"));
  job.seed = 5;
  job.config_hash = "def";
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
  job.config_hash = "abc";
  job.game = parse_game("quoridor:3x3,walls=2");
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
}

TEST(Worker, AModelOfAnotherGameIsRefused) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 30);
  job.model = folder.path() / "model.koridor";
  job.selfplay.evaluation.backend = "onednn";
  Model model = small_random_model(std::get<wall::WallGame>(job.game).encoding(job.features));
  model.info.family = "go";
  save_model(job.model.string(), model);
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
  model.info.family = "wall";
  save_model(job.model.string(), model);
  job.features.distances = false;
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
}

TEST(Worker, AMissingModelIsNamed) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 20);
  job.selfplay.evaluation.backend = "eigen";
  job.model = folder.path() / "missing.koridor";
  EXPECT_THAT(error_of([&] { run_selfplay_worker(job, kNeverStop); }), HasSubstr("missing.koridor"));
}

TEST(Worker, AFullDiskIsOneClearLine) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 400);
  job.selfplay.shard_seconds = 1000;
  // A limit on the size of files stands in for the disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string line = error_of([&] { run_selfplay_worker(job, kNeverStop); });
  // A patient worker waits for room.
  SelfplayJob patient = job_in(folder.path() / "patient", 100);
  patient.patient = true;
  patient.again_after = std::chrono::milliseconds(50);
  ::testing::internal::CaptureStderr();
  std::thread room([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::setrlimit(RLIMIT_FSIZE, &before);
  });
  EXPECT_EQ(run_selfplay_worker(patient, kNeverStop), WorkerEnd::complete);
  room.join();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("File too large; tried again every 0.05 s"), HasSubstr("the fault is gone")));
  EXPECT_THAT(games_in(patient.shards), SizeIs(100));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_THAT(line, HasSubstr("File too large"));
  for (const auto& entry : fs::recursive_directory_iterator(job.shards)) {
    EXPECT_THAT(entry.path().extension(), AnyOf(".lease", ".free", ".worker", "")) << entry.path();
  }
  EXPECT_EQ(run_selfplay_worker(job, kNeverStop), WorkerEnd::complete);  // with room again it goes on
  EXPECT_THAT(games_in(job.shards), SizeIs(400));
}

TEST(Worker, AFolderThatCannotBeWrittenIsOneClearLine) {
  const TemporaryFolder folder;
  SelfplayJob job = job_in(folder.path(), 2000);
  write_file_atomically(folder.path() / "file", "");
  job.shards = folder.path() / "file" / "shards";
  EXPECT_THROW(run_selfplay_worker(job, kNeverStop), UserError);
}

}  // namespace
}  // namespace koridor
