// The number of threads a program starts.
#pragma once

#include <algorithm>
#include <thread>

namespace koridor {

// `threads` itself, or the number of cores for 0.
inline int thread_count(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace koridor
