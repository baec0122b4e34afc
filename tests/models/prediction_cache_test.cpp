#include "models/network/prediction_cache.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using test::board;

// A prediction that says whose it is.
struct Known {
  std::vector<float> policy, value;
  Known(const EncodingShape& shape, std::uint64_t key)
      : policy(static_cast<std::size_t>(shape.policy_size())), value(static_cast<std::size_t>(shape.value_size())) {
    Random random(key);
    for (float& entry : policy) entry = static_cast<float>(random.uniform());
    for (float& entry : value) entry = static_cast<float>(random.uniform());
  }
  bool is(const float* row) const {
    return std::equal(policy.begin(), policy.end(), row) && std::equal(value.begin(), value.end(), row + policy.size());
  }
};

TEST(PredictionCache, KnowsWhatItWasTold) {
  const EncodingShape shape = board(5, 5);
  PredictionCache cache(shape, 1);
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(cache.find(mix64(key)), nullptr);
    const Known known(shape, key);
    cache.store(mix64(key), known.policy, known.value);
    ASSERT_NE(cache.find(mix64(key)), nullptr);
    EXPECT_TRUE(known.is(cache.find(mix64(key))));
  }
  EXPECT_EQ(cache.misses(), 100u);
  EXPECT_EQ(cache.hits(), 200u);
}

TEST(PredictionCache, TellsKeysOfOneRowApart) {
  const EncodingShape shape = board(5, 5);
  PredictionCache cache(shape, 1);
  const std::size_t many = 10 * cache.rows();
  std::size_t kept = 0;
  for (std::uint64_t key = 0; key < many; ++key) {
    ASSERT_EQ(cache.find(mix64(key)), nullptr);
    const Known known(shape, key);
    cache.store(mix64(key), known.policy, known.value);
  }
  for (std::uint64_t key = 0; key < many; ++key) {
    const float* row = cache.find(mix64(key));
    if (row == nullptr) continue;
    ++kept;
    ASSERT_TRUE(Known(shape, key).is(row));
  }
  EXPECT_GT(kept, cache.rows() * 9 / 10);
  EXPECT_LE(kept, cache.rows());
}

TEST(PredictionCache, AKeyOfZeroIsAKeyLikeAnother) {
  const EncodingShape shape = board(5, 5);
  PredictionCache cache(shape, 1);
  EXPECT_EQ(cache.find(0), nullptr);
  const Known known(shape, 3);
  cache.store(0, known.policy, known.value);
  ASSERT_NE(cache.find(0), nullptr);
  EXPECT_TRUE(known.is(cache.find(0)));
}

TEST(PredictionCache, StaysWithinItsBound) {
  for (const std::size_t mebibytes : {1, 2, 32}) {
    const PredictionCache cache(board(9, 9), mebibytes);
    EXPECT_LE(cache.memory_bytes(), mebibytes << 20);
    EXPECT_GT(cache.memory_bytes(), (mebibytes << 20) - 2000);
  }
}

}  // namespace
}  // namespace koridor
