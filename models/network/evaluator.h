// The one interface between positions and networks: it takes a batch of encoded positions and writes the results into
// the caller's memory. An Evaluator belongs to one thread.
//
// If the network runs elsewhere (on a GPU), a thread may have tickets() batches under way and work in between:
//     submit(0, a), submit(1, b), wait(0), use a's results, submit(0, c), wait(1), ...
// An evaluator that computes on its own thread has one ticket; its submit() does the work.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/game.h"

namespace koridor {

// Encoded positions, all of one EncodingShape, row-major.
struct Batch {
  int size = 0;
  std::span<const float> planes;   // [size, planes, rows, columns]
  std::span<const float> scalars;  // [size, scalars]
};

// The memory for results: spans of at least the stated size, owned by the caller.
struct Predictions {
  // [size, policy_size]: logits in the order of game.policy_index (the mover's view).
  std::span<float> policy;
  // [size, players + 1]: probabilities with sum 1. Entry i: the i-th player from the mover wins; last: draw.
  std::span<float> value;
  // [size, players]: what players will have (game.auxiliary), in [0, 1], in the order of `value`. May be empty.
  std::span<float> auxiliary;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual const EncodingShape& shape() const = 0;
  virtual int max_batch() const = 0;
  // batch.size is in [1, max_batch()]. A position's results do not depend, to the bit, on the batch it came in. Like
  // wait(), it throws UserError where the network's results are no numbers (models/network/guard.h); and where several
  // threads share a device, like submit() and try_submit(), what the device has thrown, from then on at every call.
  virtual void evaluate(const Batch& batch, const Predictions& out) = 0;

  virtual int tickets() const { return 1; }
  // Starts an evaluation under a ticket in [0, tickets()). What `batch` and `out` point to must stay until wait() for
  // the ticket has returned; only then may the ticket be used again.
  // It may wait until other threads have taken their results, and then has taken this evaluator's own.
  virtual void submit([[maybe_unused]] int ticket, const Batch& batch, const Predictions& out) { evaluate(batch, out); }
  // The same without that wait: false, and nothing is started, where submit() would wait for other threads. A thread
  // with several evaluators that others share may wait for one only while it holds no results of another, or two
  // threads could wait for each other for ever.
  virtual bool try_submit(int ticket, const Batch& batch, const Predictions& out) {
    submit(ticket, batch, out);
    return true;
  }
  // Returns when the results of the ticket's batch are in place; at once if nothing was submitted.
  virtual void wait([[maybe_unused]] int ticket) {}

  // "onednn bf16 (avx512_core_amx)": for logs and tables.
  virtual std::string describe() const = 0;
};

// Makes an evaluator for one thread; the second argument is the largest batch the thread will give to it.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const EncodingShape& shape, int max_batch)>;

}  // namespace koridor
