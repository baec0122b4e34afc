// Threads that prepare training batches ahead of the learner. Batch k is the same whatever the number of threads, since
// its random stream is derived from (seed, generation, k).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/failure.h"
#include "train/learner/replay_window.h"

namespace koridor {

struct BatchRange {
  std::uint64_t seed = 0;
  int generation = 0;
  int first = 0;     // number of the first batch
  int last = 0;      // one past the last
  int batch = 0;     // samples per batch ...
  BatchPart part{};  // ... of which this part is made
};

class BatchReader {
 public:
  // The window must not change while the reader lives.
  BatchReader(const ReplayWindow& window, const BatchRange& range, int threads);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // The next batch, in rising order; it stays valid until the next call. It may be called last - first times. Throws
  // what a thread threw that made batches.
  const TrainingBatch& next();

 private:
  // The ring of buffers: batch k lives in slot k % size.
  struct Slot {
    TrainingBatch batch;
    int number = -1;  // of the batch that is ready in it
  };

  void work();
  void make_batches();
  void join();

  const ReplayWindow& window_;
  BatchRange range_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable free_;
  int next_to_make_;
  int next_to_take_;
  bool stop_ = false;
  Failure failure_;
  std::vector<std::thread> threads_;
};

}  // namespace koridor
