// The one interface between positions and networks: a batch of encoded positions in, results written in place.
// An Evaluator belongs to one thread; make one for each.
//
// Where the network runs elsewhere (on a GPU), a thread need not wait for it: it may have tickets() batches under way
//     submit(0, a), submit(1, b), wait(0), use a's results, submit(0, c), wait(1), ...
// and does something else in between. An evaluator that computes on its own thread has one ticket, whose work submit()
// does.
#pragma once

#include <cstdint>
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

// Where results go; spans of at least the stated size, owned by the caller.
struct Predictions {
  std::span<float> policy;  // [size, policy_size]: logits, order of game.policy_index (the mover's view)
  std::span<float>
      value;  // [size, players + 1]: probabilities, sum 1; i: the i-th player from the mover wins; last: draw
  std::span<float> auxiliary;  // [size, players]: in [0, 1], order as value (what game.auxiliary will be); may be empty
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual const EncodingShape& shape() const = 0;
  virtual int max_batch() const = 0;
  // batch.size in [1, max_batch()]. A position's results do not depend on the batch it came in, to the bit.
  virtual void evaluate(const Batch& batch, const Predictions& out) = 0;

  virtual int tickets() const { return 1; }
  // Starts an evaluation; what `batch` and `out` point to must stay until wait() for the ticket, in [0, tickets()), has
  // returned, and a ticket is waited for before it is used again.
  virtual void submit([[maybe_unused]] int ticket, const Batch& batch, const Predictions& out) { evaluate(batch, out); }
  // The results of the ticket's batch are in place when it returns; at once where nothing was submitted.
  virtual void wait([[maybe_unused]] int ticket) {}

  // "onednn bf16 (avx512_core_amx)": for logs and tables.
  virtual std::string describe() const = 0;
};

// Makes an evaluator for one thread; the second argument is the largest batch the thread will give to it.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const EncodingShape& shape, int max_batch)>;

}  // namespace koridor
