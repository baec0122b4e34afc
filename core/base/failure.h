// Carries an exception out of an OpenMP region or a thread, which no exception may leave by itself.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>

namespace koridor {

// The first exception of several threads, and the flag that tells the others to end.
class Failure {
 public:
  // Call in a catch block.
  void keep() {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
    failed_.store(true, std::memory_order_relaxed);
  }
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};
};

}  // namespace koridor
