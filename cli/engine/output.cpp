#include "cli/engine/output.h"

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

}  // namespace koridor::cli
