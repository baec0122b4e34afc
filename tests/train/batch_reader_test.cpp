#include "train/learner/batch_reader.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "selfplay/shards/verify.h"
#include "tests/train/small_window.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

TEST(RandomShards, AreSound) {
  for (const char* game : {"quoridor:3x3,walls=1", "quoridor4:5x5", "go:5x5"}) {
    EXPECT_EQ(verify_shard(random_shard(parse_game(game), 3, 1)), std::vector<std::string>{}) << game;
  }
}

TEST(BatchReader, BatchesDoNotDependOnTheThreads) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 10, 1));
  const BatchRange range{7, 3, 2, 40, 5};
  BatchReader one(window, range, 1);
  BatchReader three(window, range, 3);
  std::vector<std::vector<float>> all;
  for (int i = range.first; i < range.last; ++i) {
    const TrainingBatch& a = one.next();
    const TrainingBatch& b = three.next();
    ASSERT_EQ(a.planes, b.planes);
    ASSERT_EQ(a.of("policy"), b.of("policy"));
    ASSERT_EQ(a.size, 5);
    all.push_back(a.planes);
  }
  // A reader that starts later gives the same batches from there.
  BatchReader later(window, {7, 3, 30, 40, 5}, 2);
  for (int i = 30; i < 40; ++i) EXPECT_EQ(later.next().planes, all[i - 2]);
  // Another generation's are others.
  BatchReader other(window, {7, 4, 2, 40, 5}, 1);
  EXPECT_NE(other.next().planes, all[0]);
}

// Nobody can have a batch of -1 samples: the vector's own exception, in the thread that makes the batch.
TEST(BatchReader, AThreadsExceptionReachesWhoAsksForTheBatch) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 4, 1));
  for (const int threads : {1, 3}) {
    BatchReader reader(window, {1, 0, 0, 1000, -1}, threads);
    EXPECT_THROW(reader.next(), std::length_error);
    EXPECT_THROW(reader.next(), std::length_error);
  }
}

TEST(BatchReader, EndsWhileBatchesWait) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 4, 1));
  BatchReader reader(window, {1, 0, 0, 1000, 8}, 2);
  reader.next();  // and the destructor must not hang
}

}  // namespace
}  // namespace koridor
