#include "core/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "core/base/elapsed.h"
#include "core/base/terminal.h"

namespace koridor {
namespace {

constexpr std::size_t kEndless = static_cast<std::size_t>(-1);

// Characters of UTF-8, each of which is taken to be one column wide.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// The first `columns` characters.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && seen++ == columns) break;
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
    if (!line.empty() && width(longer) > columns) break;
    line = std::move(longer);
  }
  return cut(line, columns);
}

std::string wrapped_text(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + width(word) > columns) {
      lines += "\n";
      column = 0;
    } else if (column > 0) {
      lines += " ";
      ++column;
    }
    lines += word;
    column += width(word);
  }
  return lines;
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

std::string short_count(double number) {
  if (number >= 999.5e6) return fmt::format("{:.3g}G", number / 1e9);
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
