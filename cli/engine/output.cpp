#include "cli/engine/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace koridor::cli {

Output::Sink write_to(int file) {
  return [file](std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::write(file, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;  // nobody reads any more
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  };
}

bool is_gone(int file) {
  pollfd end{.fd = file, .events = 0, .revents = 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

}  // namespace koridor::cli
