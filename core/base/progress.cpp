#include "core/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "core/base/elapsed.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace koridor {
namespace {

constexpr std::size_t kEndless = static_cast<std::size_t>(-1);

// The first `columns` characters.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && seen++ == columns) break;
  }
  return text.substr(0, end);
}

}  // namespace

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string fitted_line(std::span<const std::string> parts, std::size_t columns) {
  std::string line;
  for (const std::string& part : parts) {
    std::string longer = line.empty() ? printable(part) : line + " | " + printable(part);
    if (!line.empty() && character_count(longer) > columns) break;
    line = std::move(longer);
  }
  return cut(line, columns);
}

Progress::Progress(double quiet_seconds) : terminal_(::isatty(STDOUT_FILENO) == 1), quiet_seconds_(quiet_seconds) {}

Progress::~Progress() {
  if (terminal_ && !shown_.empty()) fmt::print("\r\033[K");
  std::fflush(stdout);
}

void Progress::live(const std::vector<std::string>& parts) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    parts_ = parts;
    // The last column stays free: a character there would move some terminals to the next line.
    const std::string line = fitted_line(parts_, terminal_columns() - 1);
    if (line != shown_) fmt::print("\r\033[K{}", line);
    shown_ = line;
  } else if (seconds_of(now - last_) >= quiet_seconds_) {
    const std::string line = fitted_line(parts, kEndless);
    if (line != shown_) fmt::print("{}\n", line);
    shown_ = line;
    last_ = now;
  }
  std::fflush(stdout);
}

void Progress::print(const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0; begin <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += (begin == 0 ? "" : "\n") + printable(std::string_view(lines).substr(begin, end - begin));
    begin = end + 1;
  }
  if (terminal_) {
    shown_ = fitted_line(parts_, terminal_columns() - 1);
    fmt::print("\r\033[K{}\n{}", text, shown_);
  } else {
    fmt::print("{}\n", text);
  }
  std::fflush(stdout);
}

}  // namespace koridor
