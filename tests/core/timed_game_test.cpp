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
TEST(Stopwatch, CountsRoundsThatTakeLong) {
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
  // 0.72; where other work interrupts all long rounds but one 0.3; 0.09 without them.
  EXPECT_GT(shares.rules, 0.15);
  EXPECT_NEAR(shares.rules + shares.tree, 1.0, 1e-6);
}

}  // namespace
}  // namespace koridor
