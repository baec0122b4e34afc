// What a protocol says to the program on the other side. Several threads may say something at once.
#pragma once

#include <atomic>
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

// A file descriptor that is written to without a buffer.
class OutputFile {
 public:
  explicit OutputFile(int file) : file_(file) {}

  // Writes the text, unless something was lost before: what follows a gap would be misread. One thread at a time.
  void write(std::string_view text);
  // Whether it is the end of a pipe whose other end is closed, or something was lost, as on a full disk.
  bool gone() const;
  // Throws UserError where something was lost, but for a pipe whose other end was closed: its reader has had enough.
  void require_written() const;

 private:
  int file_;
  std::atomic<int> error_{0};  // errno of the write that failed
};

}  // namespace koridor::cli
