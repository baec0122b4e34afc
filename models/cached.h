// What an evaluation cache has done so far. The cache itself: make_cached in backends.h.
#pragma once

#include <cstdint>

#include "models/evaluator.h"

namespace koridor {

struct CacheCounters {
  std::uint64_t hits = 0;    // positions answered from the table
  std::uint64_t misses = 0;  // positions the inner evaluator computed; positions without a key count as neither
};

// Of an evaluator made by make_cached with mebibytes > 0; null for any other.
const CacheCounters* cache_counters(const Evaluator& evaluator);

}  // namespace koridor
