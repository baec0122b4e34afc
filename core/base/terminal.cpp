#include "core/base/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <tuple>

#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/text.h"

namespace koridor {
namespace {

constexpr std::size_t kLongestWord = 400;
constexpr std::size_t kLongestLine = 2000;

// Whether a terminal might obey the character, or show the text around it in another order.
bool is_control(std::uint32_t code) {
  const auto in = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || in(0x7F, 0x9F) || code == 0x061C || in(0x200E, 0x200F) || in(0x2028, 0x202E) ||
         in(0x2066, 0x2069);
}

std::string escaped(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) {
      out += escaped(static_cast<unsigned char>(text.front()));
    } else if (is_control(character.code)) {
      out += escaped(character.code);
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::size_t kNote = 40;  // room for what is said in the middle
  const std::size_t kept = most > kNote ? most - kNote : 0;
  std::size_t head = kept * 2 / 3;
  std::size_t tail = text.size() - (kept - head);
  while (head > 0 && is_continuation(text[head])) --head;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  return fmt::format("{}[... {} bytes ...]{}", text.substr(0, head), tail - head, text.substr(tail));
}

std::string message_line(std::string_view text) {
  // What is cut is cut before it is escaped too, so that a text of any size costs little.
  const std::string line = printable(shortened(text, 16 * kLongestLine));
  std::string words;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words += shortened(std::string_view(line).substr(begin, end - begin), kLongestWord);
    if (end < line.size()) words += ' ';
    begin = end + 1;
  }
  return shortened(words, kLongestLine);
}

void open_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is the new file's.
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF) std::ignore = ::open("/dev/null", O_RDONLY);
    // What a pipe that does not wait has no room for would be lost.
    const int flags = ::fcntl(file, F_GETFL);
    if (file != STDIN_FILENO && flags >= 0 && (flags & O_NONBLOCK) != 0) {
      std::ignore = ::fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
    }
  }
}

void print_message(std::string_view program, std::string_view text) {
  // Nothing ends where nobody reads it, as behind a connection that broke.
  const std::string line = fmt::format("{}: {}\n", program, message_line(text));
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = write_quietly(STDERR_FILENO, left);
    if (written < 0 && errno != EINTR) return;
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

int report_failure(std::string_view program) {
  try {
    throw;
  } catch (const UserError& error) {
    print_message(program, error.what());
    return 2;
  } catch (const Stopped& stopped) {
    print_message(program, stopped.what());
    return kStoppedExit;
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    print_message(program, (path.empty() ? "the working folder" : path) + ": " + error.code().message());
    return 2;
  } catch (const std::bad_alloc&) {
    print_message(program, "not enough memory for what was asked; give smaller sizes");
    return 2;
  } catch (const std::exception& error) {
    const std::string line = first_line(error);
    const bool lost = std::ferror(stdout) != 0;
    const auto* const system = dynamic_cast<const std::system_error*>(&error);
    if (!lost && system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
      print_message(program, "a thread cannot be started: " + system->code().message());
      return 2;
    }
    print_message(program, (lost ? "standard output could not be written: " : "internal error: ") + line);
    return lost ? 2 : 1;
  }
}

UserError lost_output(int error) {
  return UserError(fmt::format("standard output could not be written{}{}", error != 0 ? ": " : "",
                               error != 0 ? std::strerror(error) : ""));
}

void finish_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return;
  // Where an earlier write failed, nobody knows its reason any more, and another one mostly has the same.
  if (flushed) std::ignore = write_quietly(STDOUT_FILENO, "\n");
  throw lost_output(errno);
}

}  // namespace koridor
