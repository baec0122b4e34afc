// The one interface between positions and networks: a batch of encoded positions in, results written in place.
// An Evaluator belongs to one thread; make one for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/game.h"

namespace koridor {

// Encoded positions, all of one EncodingShape, row-major.
struct Batch {
  int size = 0;
  std::span<const float> planes;        // [size, planes, rows, columns]
  std::span<const float> scalars;       // [size, scalars]
  std::span<const std::uint64_t> keys;  // [size]: game.key() of each position; may be empty (then nothing is cached)
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
  // "onednn bf16 (avx512_core_amx)": for logs and tables.
  virtual std::string describe() const = 0;
};

}  // namespace koridor
