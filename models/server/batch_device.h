// A device that computes whole batches beside the threads that fill them: what an EvaluationServer
// (evaluation_server.h) drives. It has a few places; each holds one batch on its way: rows are written into the place's
// memory, launch() starts the network and returns, finish() waits for the results, which then lie in the place's
// memory.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "models/network/evaluator.h"

namespace koridor {

// The memory of a place, row-major, capacity() rows; on a GPU it is pinned, so that copies run beside everything else.
struct PlaceMemory {
  std::span<float> planes;     // [capacity, planes, rows, columns]
  std::span<float> scalars;    // [capacity, scalars]
  std::span<float> policy;     // [capacity, policy_size]: as in Predictions, and so on
  std::span<float> value;      // [capacity, players + 1]
  std::span<float> auxiliary;  // [capacity, players]
};

// Calls for one place come one after another, for different places and from different threads at once.
class BatchDevice {
 public:
  virtual ~BatchDevice() = default;

  virtual const EncodingShape& shape() const = 0;
  virtual int capacity() const = 0;  // rows of a batch at most
  virtual int places() const = 0;    // at least 2 where launch() returns before the work is done
  virtual PlaceMemory memory(int place) = 0;

  // Starts the first `size` rows of the place. A row's results depend neither on its place in the batch nor on the
  // other rows, to the bit.
  virtual void launch(int place, int size) = 0;
  // Until the results are there. Threads may call it at once, and again.
  virtual void finish(int place) = 0;

  // For benches: starts the network alone, on a whole batch that is on the device already; finish() waits for it.
  virtual void launch_bare(int place) = 0;

  virtual std::string describe() const = 0;
};

// A device that computes in launch(), with `evaluator`: for tests and for evaluators that threads are to share.
std::unique_ptr<BatchDevice> make_evaluator_device(std::unique_ptr<Evaluator> evaluator, int places);

}  // namespace koridor
