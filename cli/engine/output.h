// What a protocol says to the program on the other side. Several threads may say something at once.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace koridor::cli {

class Output {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit Output(Sink sink) : sink_(std::move(sink)) {}

  // Says the text, with the ends of its lines, at once and without another thread's between.
  void say(std::string_view text) {
    const std::lock_guard lock(mutex_);
    sink_(text);
  }

 private:
  std::mutex mutex_;
  Sink sink_;
};

// Writes to a file descriptor, without a buffer.
Output::Sink write_to(int file);

}  // namespace koridor::cli
