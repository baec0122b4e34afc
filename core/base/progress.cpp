#include "core/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace koridor {
namespace {

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(double quiet_seconds) : terminal_(::isatty(STDOUT_FILENO) == 1), quiet_seconds_(quiet_seconds) {}

Progress::~Progress() {
  if (terminal_ && !shown_.empty()) fmt::print("\r\033[K");
  std::fflush(stdout);
}

void Progress::live(const std::string& line) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    // A line longer than the terminal would wrap and could not be rewritten.
    const std::string cut = line.substr(0, static_cast<std::size_t>(terminal_columns() - 1));
    if (cut != shown_) fmt::print("\r\033[K{}", cut);
    shown_ = cut;
  } else if (std::chrono::duration<double>(now - last_).count() >= quiet_seconds_) {
    fmt::print("{}\n", line);
    last_ = now;
  }
  std::fflush(stdout);
}

void Progress::print(const std::string& line) {
  if (terminal_) fmt::print("\r\033[K");
  fmt::print("{}\n{}", line, terminal_ ? shown_ : "");
  std::fflush(stdout);
}

std::string short_count(double number) {
  if (number >= 999'500) return fmt::format("{:.3g}M", number / 1e6);
  if (number >= 9'995) return fmt::format("{:.3g}k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

std::string clock_text(double seconds) {
  const long total = static_cast<long>(seconds + 0.5);
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace koridor
