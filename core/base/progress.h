// What a person sees while a run works: one live line, which a terminal rewrites, and lines that stay.
#pragma once

#include <chrono>
#include <string>

namespace koridor {

class Progress {
 public:
  // In a terminal the live line is rewritten in place; elsewhere (a log) it is printed every `quiet_seconds`.
  explicit Progress(double quiet_seconds = 15);
  ~Progress();

  void live(const std::string& line);   // replaces the live line
  void print(const std::string& line);  // stays; the live line goes below it

 private:
  bool terminal_;
  double quiet_seconds_;
  std::chrono::steady_clock::time_point last_{};
  std::string shown_;
};

// 1234567 as "1.23M", 45600 as "45.6k", 123 as "123".
std::string short_count(double number);

// Seconds as "1:05:09" or "5:09".
std::string clock_text(double seconds);

}  // namespace koridor
