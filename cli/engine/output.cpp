#include "cli/engine/output.h"

#include <poll.h>

#include <cerrno>

#include "core/base/terminal.h"
#include "core/base/write_all.h"

namespace koridor::cli {

void OutputFile::write(std::string_view text) {
  if (error_ == 0) error_ = write_all(file_, text);
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
