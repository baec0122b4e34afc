// Where the time of a search is said to go.
#include "core/timed_game.h"

#include <gtest/gtest.h>

namespace koridor {
namespace {

void work_for(double seconds) {
  const double end = thread_seconds() + seconds;
  while (thread_seconds() < end) {
  }
}

// A few rounds may take many times as long as the others, as those in which races of pawns are solved.
double rules_share() {
  Stopwatch watch;
  for (std::uint64_t round = 0; round < 40 * Stopwatch::kSampleEvery; ++round) {
    watch.begin_round();
    if (round % Stopwatch::kSampleEvery == 0) {
      const bool is_long = round / Stopwatch::kSampleEvery % 4 == 3;
      watch.time(Stopwatch::rules, [&] { work_for(is_long ? 1e-3 : 1e-5); });
      work_for(1e-4);
    }
    watch.end_round();
  }
  const TimeShares shares = watch.share_out(1.0);
  EXPECT_NEAR(shares.rules + shares.tree, 1.0, 1e-6);
  return shares.rules;
}

// 0.72; less where other work interrupts the long rounds, and then it is tried again; 0.09 without them.
TEST(Stopwatch, CountsRoundsThatTakeLong) {
  double share = 0;
  for (int trial = 0; trial < 20 && share <= 0.4; ++trial) share = rules_share();
  EXPECT_GT(share, 0.4);
}

}  // namespace
}  // namespace koridor
