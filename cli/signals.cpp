#include <signal.h>

#include "cli/commands.h"

namespace koridor::cli {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

std::atomic<bool>& stop_requested() {
  return requested;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { requested = true; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace koridor::cli
