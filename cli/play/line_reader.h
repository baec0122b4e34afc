// Lines that a person types. At a terminal the line can be edited and former lines come back by the arrow keys
// (line_editor.h); elsewhere the lines are read as they are.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/play/line_editor.h"

namespace koridor::cli {

// Whether a line in small letters says that the person has had enough: "quit", "q" or "exit".
bool says_quit(std::string_view word);

class LineReader {
 public:
  // `stop`, which a signal may set, ends a line that is being typed; it must outlive the reader.
  explicit LineReader(const std::atomic<bool>& stop);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line without its end; nothing at the end of the input, after `stop` and after end(), and at a terminal
  // as soon as `over` is true.
  std::optional<std::string> read(
      const std::string& prompt, const std::function<bool()>& over = [] { return false; });
  // Somebody has said that it is enough: what follows is as at the end of the input.
  void end() { ended_ = true; }

 private:
  const std::atomic<bool>& stop_;
  bool ended_ = false;
  std::unique_ptr<LineEditor> editor_;  // null where standard input is no terminal
};

}  // namespace koridor::cli
