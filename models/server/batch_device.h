// A device that computes whole batches beside the threads that fill them. An EvaluationServer (evaluation_server.h)
// drives it. It has a few places, each for one batch: rows are written into the place's memory, launch() starts the
// network and returns, and finish() waits for the results, which then lie in the place's memory.
#pragma once

#include <span>
#include <string>

#include "models/network/evaluator.h"

namespace koridor {

// The memory of a place, row-major, capacity() rows. For a GPU it is pinned, so that copies run beside everything else.
struct PlaceMemory {
  std::span<float> planes;     // [capacity, planes, rows, columns]
  std::span<float> scalars;    // [capacity, scalars]
  std::span<float> policy;     // [capacity, policy_size]; results are as in Predictions
  std::span<float> value;      // [capacity, players + 1]
  std::span<float> auxiliary;  // [capacity, players]
};

// Calls for one place come one after another; calls for different places may come from different threads at once.
class BatchDevice {
 public:
  virtual ~BatchDevice() = default;

  virtual const EncodingShape& shape() const = 0;
  virtual int capacity() const = 0;  // the largest number of rows of a batch
  virtual int places() const = 0;    // at least 2 if launch() returns before the work is done
  virtual PlaceMemory memory(int place) = 0;

  // Starts the first `size` rows of the place. A row's results do not depend, to the bit, on its place in the batch or
  // on the other rows, unless describe() says that they vary.
  virtual void launch(int place, int size) = 0;
  // Waits until the results are there. Several threads may call it at once, and more than once.
  virtual void finish(int place) = 0;

  // For benches: starts the network alone on a whole batch that is already on the device; finish() waits for it.
  virtual void launch_bare(int place) = 0;

  virtual std::string describe() const = 0;
};

}  // namespace koridor
