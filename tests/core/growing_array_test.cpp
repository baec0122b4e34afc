#include "core/base/growing_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace koridor {
namespace {

TEST(GrowingArray, KeepsWhatItHasWhileItGrows) {
  GrowingArray<std::uint32_t> array;
  EXPECT_EQ(array.size(), 0u);
  std::size_t written = 0;
  for (std::size_t size = 1; size < 5'000'000; size = 3 * size + 1) {
    array.grow(size);
    ASSERT_EQ(array.size(), size);
    for (; written < size; ++written) array[written] = static_cast<std::uint32_t>(7 * written);
    for (std::size_t i = 0; i < size; i += 1 + size / 100) ASSERT_EQ(array[i], static_cast<std::uint32_t>(7 * i));
  }
  array.grow(5);
  EXPECT_EQ(array.size(), written);
  GrowingArray<std::uint32_t> moved = std::move(array);
  ASSERT_EQ(moved.size(), written);
  EXPECT_EQ(moved[written - 1], static_cast<std::uint32_t>(7 * (written - 1)));
  GrowingArray<std::uint32_t> other;
  other.grow(3);
  other[2] = 5;
  moved = std::move(other);
  ASSERT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved[2], 5u);
}

TEST(GrowingArray, ShrinksToWhatIsStillNeeded) {
  GrowingArray<std::uint32_t> array;
  array.grow(1'000'000);
  for (std::uint32_t i = 0; i < 1000; ++i) array[i] = 7 * i;
  array.shrink(2'000'000);
  EXPECT_EQ(array.size(), 1'000'000u);
  array.shrink(1000);
  ASSERT_EQ(array.size(), 1000u);
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(array[i], 7 * i);
  array.grow(2'000'000);  // to pages of its own again, and from these to fewer
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(array[i], 7 * i);
  array[1'400'000] = 9;
  array.shrink(1'500'000);
  EXPECT_EQ(array[1'400'000], 9u);
  EXPECT_EQ(array[999], 6993u);
  array.shrink(0);
  EXPECT_EQ(array.size(), 0u);
  array.grow(3);
  array[2] = 5;
  EXPECT_EQ(array[2], 5u);
}

}  // namespace
}  // namespace koridor
