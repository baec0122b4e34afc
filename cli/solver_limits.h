// What subcommands allow a solver.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/solve/solution.h"

namespace koridor::cli {

// So much memory, and time until somebody stops the program.
inline SolveLimits limits_until_stopped(int mebibytes) {
  return {.mebibytes = static_cast<std::size_t>(mebibytes), .keep_going = [] { return !stop_requested(); }};
}

// What solve() gives. Where it throws UserError and the program was stopped meanwhile, this throws Stopped: a solver
// does not know why it was not to go on.
template <class Solve>
auto solved_until_stopped(const std::string& game, Solve&& solve) {
  try {
    return solve();
  } catch (const UserError&) {
    if (stop_requested()) throw Stopped(fmt::format("stopped before {} was solved", game));
    throw;
  }
}

}  // namespace koridor::cli
