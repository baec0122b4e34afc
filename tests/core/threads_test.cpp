// How many threads there are.
#include "core/base/threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/cpu_quota.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

TEST(Threads, AreAsManyAsTheCoresThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int quota = cpu_quota();
  EXPECT_EQ(core_count(), quota > 0 ? std::min(CPU_COUNT(&before), quota) : CPU_COUNT(&before));
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(thread_count(0), 1);
  EXPECT_EQ(thread_count(3), 3);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

// The least quota of a group and of those above it counts, in both versions of control groups.
TEST(Threads, AreNoMoreThanTheQuotaOfProcessorTime) {
  const TemporaryFolder folder;
  const std::filesystem::path root = folder / "groups";
  const std::filesystem::path list = folder / "list";
  const auto write = [](const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  EXPECT_EQ(cpu_quota(list, root), 0) << "no control groups";
  write(list, "0::/a/b\n");
  write(root / "cpu.max", "max 100000\n");
  write(root / "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(list, root), 0);
  write(root / "a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(cpu_quota(list, root), 4);
  write(root / "a/cpu.max", "75000 50000\n");
  EXPECT_EQ(cpu_quota(list, root), 2);
  write(root / "cpu.max", "100000 100000\n");
  EXPECT_EQ(cpu_quota(list, root), 1);

  const std::filesystem::path old = folder / "old";
  write(list, "5:cpuset:/x\n4:cpuacct,cpu:/c\nnonsense\n");
  write(old / "cpu/cpu.cfs_quota_us", "-1\n");
  write(old / "cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(list, old), 0);
  write(old / "cpu/c/cpu.cfs_quota_us", "300000\n");
  write(old / "cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(list, old), 3);
}

// OMP_DYNAMIC, by which OpenMP may start as few as it likes, as OMP_THREAD_LIMIT does. It starts no more than the cores
// then.
TEST(Threads, FewerThanWantedAreAFault) {
  constexpr int kFar = 4096;
  omp_set_dynamic(1);
  Failure failure;
  std::atomic<int> calls = 0;
  on_all_threads(kFar, failure, [&](int) { ++calls; });
  omp_set_dynamic(0);
  EXPECT_EQ(calls, 0);
  const std::string error = error_of([&] { failure.rethrow(); });
  EXPECT_NE(error.find("of 4096 threads"), std::string::npos)
      << error << ", and OpenMP started " << calls << " threads";
}

TEST(Threads, EachWorksOnce) {
  Failure failure;
  std::atomic<int> sum = 0;
  on_all_threads(3, failure, [&](int thread) { sum += 1 << thread; });
  EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace koridor
