#include "models/network/prediction_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <new>

#include "core/base/error.h"

namespace koridor {

PredictionCache::PredictionCache(const EncodingShape& shape, std::size_t mebibytes)
    : row_floats_(static_cast<std::size_t>(shape.policy_size() + shape.value_size())) {
  const std::size_t row_bytes = row_floats_ * sizeof(float) + sizeof(std::uint64_t);
  rows_ = std::max<std::size_t>(1, (mebibytes << 20) / row_bytes);
  try {
    static_assert(kEmpty == 0);
    keys_.reset(static_cast<std::uint64_t*>(std::calloc(rows_, sizeof(std::uint64_t))));
    if (!keys_) throw std::bad_alloc();
    floats_ = std::make_unique_for_overwrite<float[]>(rows_ * row_floats_);
  } catch (const std::bad_alloc&) {
    throw UserError(
        fmt::format("no memory for a cache of {} MiB per thread (--cache, selfplay.cache_mebibytes); give "
                    "a smaller one",
                    mebibytes));
  }
}

void PredictionCache::store(std::uint64_t key, std::span<const float> policy, std::span<const float> value) {
  assert(policy.size() + value.size() == row_floats_);
  const std::size_t row = row_of(key);
  keys_[row] = stored(key);
  std::ranges::copy(value, std::ranges::copy(policy, floats_.get() + row * row_floats_).out);
}

}  // namespace koridor
