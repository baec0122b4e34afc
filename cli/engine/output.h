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

  // `gone` says whether nobody will ever read what is said.
  explicit Output(
      Sink sink, std::function<bool()> gone = [] { return false; })
      : sink_(std::move(sink)), gone_(std::move(gone)) {}

  // Says the text, with the ends of its lines, at once and without another thread's between.
  void say(std::string_view text) {
    const std::lock_guard lock(mutex_);
    sink_(text);
  }
  bool gone() const { return gone_(); }

 private:
  std::mutex mutex_;
  Sink sink_;
  std::function<bool()> gone_;
};

// Writes to a file descriptor, without a buffer.
Output::Sink write_to(int file);

// Whether the file descriptor is the end of a pipe whose other end is closed.
bool is_gone(int file);

}  // namespace koridor::cli
