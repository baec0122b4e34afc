// The vectors of the CPU backends.
#include "models/cpu/lanes.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace koridor {
namespace {

// To the bit, in the order that its comment says: results of networks depend on it.
TEST(Lanes, AreSummedInTheirOrder) {
  Random random(5);
  for (int turn = 0; turn < 100; ++turn) {
    Lanes vectors[kLanes];
    for (Lanes& v : vectors) {
      for (int lane = 0; lane < kLanes; ++lane) v[lane] = static_cast<float>(random.normal());
    }
    const Lanes sums = sums_of(vectors);
    for (int i = 0; i < kLanes; ++i) {
      const Lanes v = vectors[i];
      const float expected = ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
      ASSERT_EQ(sums[i], expected) << "turn " << turn << ", vector " << i;
    }
  }
}

}  // namespace
}  // namespace koridor
