// Says lines on a thread of its own, in their order: a program that sends all its queries before it reads an answer
// must not stop the searches, nor the reading of its queries.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace koridor::cli {

class Sayer {
 public:
  using Say = std::function<void(std::string_view line)>;

  explicit Sayer(Say say) : say_(std::move(say)), thread_([this] { work(); }) {}
  // Says what is left.
  ~Sayer() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Sayer(const Sayer&) = delete;
  Sayer& operator=(const Sayer&) = delete;

  void say(std::string line) {
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.notify_all();
  }
  // Lines that nobody has taken yet.
  std::size_t unsaid() const {
    const std::lock_guard lock(mutex_);
    return lines_.size();
  }
  // Returns when everything has been said.
  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lines_.empty() && !saying_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || !lines_.empty(); });
      if (lines_.empty()) return;
      const std::string line = std::move(lines_.front());
      lines_.pop_front();
      saying_ = true;
      lock.unlock();
      say_(line);
      lock.lock();
      saying_ = false;
      changed_.notify_all();
    }
  }

  Say say_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool saying_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace koridor::cli
