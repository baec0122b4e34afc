// The time that has passed, as numbers.
#pragma once

#include <chrono>
#include <cstdint>

namespace koridor {

inline double seconds_of(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}
inline std::uint64_t nanoseconds_of(std::chrono::steady_clock::duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

// Seconds from `start` to now.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return seconds_of(std::chrono::steady_clock::now() - start);
}

}  // namespace koridor
