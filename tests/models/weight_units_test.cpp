#include "models/network/weight_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace koridor {
namespace {

using ::testing::ElementsAre;

TEST(WeightUnits, TheLargestWeightOfAnOutputIsSoManyUnits) {
  const std::vector<float> weight = {1.0f, -254.0f, 0.0f, 0.0f, 0.5f, 127.0f};  // [3 rows, 2]
  EXPECT_THAT(weight_units(weight, 3, 4, 127.0f), ElementsAre(2.0f, 1.0f, 1.0f, 1.0f));
}

// Divided by a unit of so few digits, a weight may be infinite or beyond a byte.
TEST(WeightUnits, OfWeightsNearNothingTheyAreOne) {
  const std::vector<float> weight = {1e-45f, 190e-45f, 2e-38f, 3e-36f};  // [4 rows, 1]
  const std::vector<float> units = weight_units(weight, 4, 4, 127.0f);
  EXPECT_THAT(units, ElementsAre(1.0f, 1.0f, 1.0f, 3e-36f / 127.0f));
}

// A bias counted in units of products: beside one of nearly dead weights, it would be infinite.
TEST(WeightUnits, LeaveRoomForTheBias) {
  std::vector<float> units = weight_units(std::vector{1e-35f, 1e-35f, 127.0f}, 3, 4, 127.0f);
  const float tiny = units[1];
  make_room_for_bias(units, std::vector{-0.5f, 0.0f, 0.5f}, 0.25f, 1024.0f);
  EXPECT_THAT(units, ElementsAre(2.0f / 1024.0f, tiny, 1.0f, 1.0f));
}

}  // namespace
}  // namespace koridor
