#include "cli/engine/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/terminal.h"

namespace koridor::cli {

void OutputFile::write(std::string_view text) {
  while (!text.empty() && error_ == 0) {
    const ssize_t count = ::write(file_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // the other side has made its pipe one that does not wait
      pollfd end{.fd = file_, .events = POLLOUT, .revents = 0};
      ::poll(&end, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

bool OutputFile::gone() const {
  if (error_ != 0) return true;
  pollfd end{.fd = file_, .events = 0, .revents = 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

void OutputFile::require_written() const {
  if (error_ != 0 && error_ != EPIPE) throw lost_output(error_);
}

}  // namespace koridor::cli
