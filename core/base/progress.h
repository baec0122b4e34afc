// What a person sees while a program works: one live line, which a terminal rewrites in place, and lines that stay. A
// file or a pipe gets what stays and now and then a live line, no two of them in a row the same. What a terminal might
// obey is escaped (terminal.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace koridor {

class Progress {
 public:
  // Where output is no terminal, a live line is printed every `quiet_seconds` if it has changed.
  explicit Progress(double quiet_seconds = 30);
  ~Progress();

  // Replaces the live line by these parts, the most important one first: as many of them as the terminal is wide now.
  void live(const std::vector<std::string>& parts);
  void live(const std::string& line) { live(std::vector<std::string>{line}); }
  void print(const std::string& lines);  // stay; the live line goes below them

 private:
  bool terminal_;
  double quiet_seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<std::string> parts_;
  std::string shown_;
};

// The parts with " | " between them, without those at the end that do not fit into `columns`, of which there is one or
// more. A first part that is too long itself is cut. A character is taken to be one column wide. The parts are made
// printable (terminal.h).
std::string fitted_line(std::span<const std::string> parts, std::size_t columns);

// The width of the terminal at standard output as it is now; 80 where there is none.
std::size_t terminal_columns();

}  // namespace koridor
