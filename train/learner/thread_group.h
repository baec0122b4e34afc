// A fixed group of threads that run one function together, again and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/failure.h"

namespace koridor {

class ThreadGroup {
 public:
  // A group of `size` threads; thread 0 is the one that calls run().
  explicit ThreadGroup(int size);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls work(i) on every thread i at once and returns when all calls have ended. Throws their first exception again.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int thread);
  void do_work(int thread);
  void join();

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(int)>* work_ = nullptr;
  std::uint64_t round_ = 0;  // counts the calls of run()
  int running_ = 0;
  bool stop_ = false;
  Failure failure_;
  std::vector<std::thread> threads_;
};

}  // namespace koridor
