#include "cli/play/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace koridor::cli {

bool says_quit(std::string_view word) {
  return word == "quit" || word == "q" || word == "exit";
}

LineReader::LineReader(const std::atomic<bool>& stop) : stop_(stop) {
  if (::isatty(STDIN_FILENO) == 1) editor_ = make_line_editor(stop);
}

LineReader::~LineReader() = default;

std::optional<std::string> LineReader::read(const std::string& prompt, const std::function<bool()>& over) {
  if (stop_ || ended_) return std::nullopt;
  std::fflush(stdout);
  if (editor_) return editor_->read(prompt, over);
  fmt::print("{}", prompt);
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line) || stop_) {
    fmt::print("\n");
    return std::nullopt;
  }
  return line;
}

}  // namespace koridor::cli
