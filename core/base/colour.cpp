#include "core/base/colour.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace koridor {

bool use_colour() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return ::isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace koridor
