// Predictions by position, so that a position met again is neither encoded nor computed. The table is direct-mapped: a
// new prediction replaces the old one in its row. A cache belongs to one thread. A prediction depends, to the bit, on
// its position alone, so that a cached one equals a computed one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "core/game.h"

namespace koridor {

class PredictionCache {
 public:
  // Has as many rows as fit into the memory with all they need, at least one. Rows never written use no memory yet.
  PredictionCache(const EncodingShape& shape, std::size_t mebibytes);

  // The position's row, [policy_size] logits and then [players + 1] probabilities; null if it is not there. Valid until
  // the next store().
  const float* find(std::uint64_t key) {
    const std::size_t row = row_of(key);
    if (keys_[row] != stored(key)) {
      ++misses_;
      prefetch(row);  // store() will come soon
      return nullptr;
    }
    ++hits_;
    return floats_.get() + row * row_floats_;
  }

  // policy: [policy_size], value: [players + 1].
  void store(std::uint64_t key, std::span<const float> policy, std::span<const float> value);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  std::size_t rows() const { return rows_; }
  std::size_t memory_bytes() const { return rows() * (row_floats_ * sizeof(float) + sizeof(std::uint64_t)); }

 private:
  static constexpr std::uint64_t kEmpty = 0;
  // 0 and 1 become the same key, which matters no more than any other two keys that are equal by chance.
  static std::uint64_t stored(std::uint64_t key) { return key == kEmpty ? 1 : key; }

  void prefetch(std::size_t row) const {
    constexpr std::size_t kLine = 64 / sizeof(float);
    for (std::size_t i = 0; i < row_floats_; i += kLine) __builtin_prefetch(floats_.get() + row * row_floats_ + i, 1);
  }

  std::size_t row_of(std::uint64_t key) const {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(mix64(key)) * rows_) >> 64);
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::size_t row_floats_;
  std::size_t rows_;
  std::unique_ptr<std::uint64_t[], Free> keys_;  // [rows]: stored(key), or kEmpty
  std::unique_ptr<float[]> floats_;              // [rows, policy_size + players + 1]
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

// Null for 0 MiB.
inline std::shared_ptr<PredictionCache> make_cache(const EncodingShape& shape, int mebibytes) {
  return mebibytes > 0 ? std::make_shared<PredictionCache>(shape, static_cast<std::size_t>(mebibytes)) : nullptr;
}

}  // namespace koridor
