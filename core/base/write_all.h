// Writing to descriptors: files, pipes and terminals, also those that another program has made ones that do not wait.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace koridor {

// Writes the whole text; waits where a pipe is full. Returns 0, or the errno of why the rest was not written.
inline int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd end{.fd = file, .events = POLLOUT, .revents = 0};
      ::poll(&end, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace koridor
