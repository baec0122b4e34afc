#include "train/learner/thread_group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

namespace koridor {
namespace {

TEST(ThreadGroup, EveryThreadWorksInEveryRound) {
  for (int size : {1, 2, 5}) {
    ThreadGroup group(size);
    EXPECT_EQ(group.size(), size);
    std::vector<int> rounds(static_cast<std::size_t>(size), 0);
    const std::thread::id caller = std::this_thread::get_id();
    for (int round = 0; round < 200; ++round) {
      group.run([&](int thread) {
        ++rounds[static_cast<std::size_t>(thread)];
        EXPECT_EQ(std::this_thread::get_id() == caller, thread == 0);
      });
      // run() waits for all.
      EXPECT_EQ(std::accumulate(rounds.begin(), rounds.end(), 0), size * (round + 1));
    }
  }
}

TEST(ThreadGroup, ThrowsWhatAThreadThrowsAndGoesOn) {
  ThreadGroup group(3);
  for (int thrower = 0; thrower < 3; ++thrower) {
    std::atomic<int> others{0};
    EXPECT_THROW(group.run([&](int thread) {
      if (thread == thrower) throw std::runtime_error("no");
      ++others;
    }),
                 std::runtime_error);
    EXPECT_EQ(others, 2);
  }
  std::atomic<int> all{0};
  group.run([&](int) { ++all; });
  EXPECT_EQ(all, 3);
}

}  // namespace
}  // namespace koridor
