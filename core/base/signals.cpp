#include "core/base/signals.h"

#include <signal.h>

namespace koridor {
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

void report_full_disks() {
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace koridor
