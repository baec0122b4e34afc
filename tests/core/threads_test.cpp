// How many threads there are.
#include "core/base/threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <string>

#include "core/base/error.h"

namespace koridor {
namespace {

TEST(Threads, AreAsManyAsTheCoresThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(core_count(), CPU_COUNT(&before));
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
  try {
    failure.rethrow();
    ADD_FAILURE() << "OpenMP started " << calls << " threads";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("of 4096 threads"), std::string::npos) << error.what();
  }
}

TEST(Threads, EachWorksOnce) {
  Failure failure;
  std::atomic<int> sum = 0;
  on_all_threads(3, failure, [&](int thread) { sum += 1 << thread; });
  EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace koridor
