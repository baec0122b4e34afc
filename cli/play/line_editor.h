// A line that is edited while it is typed. line_editor.cpp does it with libedit; where that library is missing,
// no_line_editor.cpp is built instead.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace koridor::cli {

class LineEditor {
 public:
  virtual ~LineEditor() = default;
  // The next line without its end; nothing at the end of the input, and once `stop` is set or `over` is true. It is
  // asked ten times per second.
  virtual std::optional<std::string> read(const std::string& prompt, const std::function<bool()>& over) = 0;
};

// The editor of standard input, which is a terminal; null where this build has none. `stop` must outlive it.
std::unique_ptr<LineEditor> make_line_editor(const std::atomic<bool>& stop);

}  // namespace koridor::cli
