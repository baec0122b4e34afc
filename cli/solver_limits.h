// What subcommands allow a solver.
#pragma once

#include <cstddef>

#include "core/base/signals.h"
#include "core/solve/solution.h"

namespace koridor::cli {

// So much memory, and time until somebody stops the program.
inline SolveLimits limits_until_stopped(int mebibytes) {
  return {.mebibytes = static_cast<std::size_t>(mebibytes), .keep_going = [] { return !stop_requested(); }};
}

}  // namespace koridor::cli
