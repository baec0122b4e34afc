// What another thread or process does sooner or later.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace koridor {

// Whether `condition` came true within a minute, looked at every few milliseconds.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace koridor
