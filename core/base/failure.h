// Carries an exception out of an OpenMP region or a thread, which no exception may leave by itself.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

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
  // Throws what was kept, if anything was.
  void rethrow() const {
    if (!failed()) return;
    const std::lock_guard lock(mutex_);
    std::rethrow_exception(first_);
  }
  // The same, and forgets it, where the threads go on. One thread calls it.
  void rethrow_and_forget() {
    if (!failed()) return;
    const std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr first_;
  std::atomic<bool> failed_{false};
};

}  // namespace koridor
