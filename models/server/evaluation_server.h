// Many threads share one device: their rows are gathered into batches, so that a GPU computes a large batch while the
// threads fill the next one. The server has no thread of its own: the thread that completes a batch starts it, and a
// thread that needs results waits for the device and wakes the others.
//
//   thread a: rows --.                                      .--> results
//   thread b: rows ---+--> open batch --launch--> device --+---> results
//   thread c: rows --'     (filling)       (in flight, some at once)
//
// A batch is started when it is full or the next rows do not fit, when a thread waits for one of its rows and the
// device is idle, or when every thread waits, so that no more rows can come. The one lock is held for a few
// instructions per submission and never while rows are copied or the device computes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/failure.h"
#include "models/network/evaluator.h"
#include "models/server/batch_device.h"

namespace koridor {

class EvaluationServer {
 public:
  explicit EvaluationServer(std::unique_ptr<BatchDevice> device);

  const BatchDevice& device() const { return *device_; }

  // Rows of a batch.
  struct Rows {
    int place = -1;  // of the device; -1: none
    int first = 0;
    int count = 0;
  };

  // Every thread that uses the server calls join() before and leave() after.
  void join();
  void leave();

  // What the device throws, this and every later call of reserve(), finish() and wait_for_place() throws, on all
  // threads.

  // Reserves `count` rows (at most capacity()) in the open batch. The place is -1 if every place is taken; the caller
  // then fetches its own results, which may occupy one, and tries again.
  Rows reserve(int count);
  PlaceMemory memory(int place) { return device_->memory(place); }
  // Tells that the rows' inputs are written.
  void commit(const Rows& rows);
  // Waits until the rows' results are in their place's memory.
  void finish(const Rows& rows);
  // Tells that the rows' results are copied, or that nobody wants them.
  void release(const Rows& rows);
  // Waits until a place may have become free.
  void wait_for_place();

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class State : std::uint8_t { free, open, closed, launching, in_flight, done };
  struct Place {
    State state = State::free;
    int rows = 0;              // reserved
    int written = 0;           // of the reserved ones
    int released = 0;          // of the reserved ones
    bool wanted = false;       // a thread waits for it
    std::uint64_t launch = 0;  // number of its last launch, to tell its batches apart
  };

  int place_in(State state) const;  // the place in this state that was launched first; -1: none
  void close_open();
  void launch_if_written(Lock& lock, int place);
  // Starts the open batch if it is time to.
  bool start_open(Lock& lock);
  void finish_in_flight(Lock& lock, int place);
  // Called by a thread that cannot go on: starts the open batch, or waits for the device or for other threads.
  void help(Lock& lock, int preferred);
  void check_failure() const;

  std::unique_ptr<BatchDevice> device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  int open_ = -1;      // the place that takes rows; -1: none
  int in_flight_ = 0;  // places launching or in flight
  int threads_ = 0;
  int waiting_ = 0;  // how many of these threads wait
  std::uint64_t launches_ = 0;
  Failure failure_;
};

// The evaluator of one thread on a shared server, for batches of at most `max_batch` rows, or of the device's capacity
// if that is less. It has two tickets if the device has two places or more.
std::unique_ptr<Evaluator> connect(std::shared_ptr<EvaluationServer> server, int max_batch);

}  // namespace koridor
