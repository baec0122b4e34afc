#include "library/failure.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>

#include "core/base/terminal.h"

namespace koridor::library {
namespace {

// Of fixed size, so that telling a failure cannot fail.
thread_local std::array<char, 1024> last_message{};

}  // namespace

koridor_status fail(koridor_status status, const char* message) noexcept {
  const auto keep = [](std::string_view line) {
    const std::size_t length = std::min(line.size(), last_message.size() - 1);
    std::memcpy(last_message.data(), line.data(), length);
    last_message[length] = '\0';
  };
  try {
    keep(shortened(message_line(message), last_message.size() - 1));
  } catch (const std::bad_alloc& error) {
    keep(error_text(error));
  }
  return status;
}

}  // namespace koridor::library

const char* koridor_last_error() {
  return koridor::library::last_message.data();
}

const char* koridor_status_name(koridor_status status) {
  switch (status) {
    case KORIDOR_OK:
      return "KORIDOR_OK";
    case KORIDOR_INVALID_ARGUMENT:
      return "KORIDOR_INVALID_ARGUMENT";
    case KORIDOR_BAD_HANDLE:
      return "KORIDOR_BAD_HANDLE";
    case KORIDOR_BUFFER_TOO_SMALL:
      return "KORIDOR_BUFFER_TOO_SMALL";
    case KORIDOR_ABI_MISMATCH:
      return "KORIDOR_ABI_MISMATCH";
    case KORIDOR_ILLEGAL_ACTION:
      return "KORIDOR_ILLEGAL_ACTION";
    case KORIDOR_GAME_OVER:
      return "KORIDOR_GAME_OVER";
    case KORIDOR_BAD_MODEL:
      return "KORIDOR_BAD_MODEL";
    case KORIDOR_UNSUPPORTED:
      return "KORIDOR_UNSUPPORTED";
    case KORIDOR_BUSY:
      return "KORIDOR_BUSY";
    case KORIDOR_OUT_OF_MEMORY:
      return "KORIDOR_OUT_OF_MEMORY";
    case KORIDOR_INTERNAL:
      return "KORIDOR_INTERNAL";
    case KORIDOR_NO_RESULT:
      return "KORIDOR_NO_RESULT";
    case KORIDOR_STATUS_LIMIT:
      break;
  }
  return "no koridor_status";
}
