// Many threads, one device: gathers the rows of threads into batches, so that a GPU computes large ones while the
// threads fill the next. There is no thread of its own: whoever completes a batch starts it, and whoever needs results
// waits for the device and tells the others.
//
//   thread a: rows --.                                      .--> results
//   thread b: rows ---+--> open batch --launch--> device --+---> results
//   thread c: rows --'     (filling)       (in flight, some at once)
//
// A batch is started when it is full; when a thread waits for a row of it and the device is idle; or when every thread
// waits, so that no more rows can come. There is one lock, held for a few instructions a submission, never while rows
// are copied or the device computes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "models/network/evaluator.h"
#include "models/server/batch_device.h"

namespace koridor {

class EvaluationServer {
 public:
  explicit EvaluationServer(std::unique_ptr<BatchDevice> device);

  const BatchDevice& device() const { return *device_; }

  // Rows of a batch that wait for their results.
  struct Rows {
    int place = -1;  // of the device; -1: none
    int first = 0;
    int count = 0;
  };

  // A thread that uses the server is counted in while it does.
  void join();
  void leave();

  // Room for `count` rows (at most capacity()) in the open batch; place -1 where every place is taken: then the caller
  // takes its own results, of which one may be in the way, and asks again.
  Rows reserve(int count);
  PlaceMemory memory(int place) { return device_->memory(place); }
  // The rows' inputs are written.
  void commit(const Rows& rows);
  // Until the rows' results are in their place's memory. Throws what the device threw.
  void finish(const Rows& rows);
  // The rows' results are copied, or nobody wants them.
  void release(const Rows& rows);
  // Until a place may have become free.
  void wait_for_place();

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class State : std::uint8_t { free, open, closed, launching, in_flight, done };
  struct Place {
    State state = State::free;
    int rows = 0;              // reserved
    int written = 0;           // of them
    int released = 0;          // of them
    bool wanted = false;       // a thread waits for it
    std::uint64_t launch = 0;  // number of its last launch, to tell its batches apart
  };

  int place_in(State state) const;  // the one launched first; -1: none
  void close_open();
  void launch_if_written(Lock& lock, int place);
  // Starts the open batch if the rules say so.
  bool start_open(Lock& lock);
  void finish_in_flight(Lock& lock, int place);
  // What a thread does that cannot go on: starts the open batch, waits for the device or for other threads.
  void help(Lock& lock, int preferred);
  void check_failure() const;

  std::unique_ptr<BatchDevice> device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Place> places_;
  int open_ = -1;      // the place that takes rows; -1: none
  int in_flight_ = 0;  // places launching or in flight
  int threads_ = 0;
  int waiting_ = 0;  // of these threads
  std::uint64_t launches_ = 0;
  std::exception_ptr failure_;
};

// An evaluator of one thread on a shared server, for batches of at most `max_batch` rows (or the device's capacity,
// where that is less); with two tickets if the device has two places or more.
std::unique_ptr<Evaluator> connect(std::shared_ptr<EvaluationServer> server, int max_batch);

}  // namespace koridor
