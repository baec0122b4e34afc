#include "core/base/children.h"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <atomic>

namespace koridor {
namespace {

// 0 marks a free place. A child beyond the last place is not killed.
std::array<std::atomic<pid_t>, 256> children{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void replace_child(pid_t old, pid_t now) {
  for (std::atomic<pid_t>& child : children) {
    pid_t expected = old;
    if (child.compare_exchange_strong(expected, now)) return;
  }
}

}  // namespace

void remember_child(pid_t child) {
  replace_child(0, child);
}

void forget_child(pid_t child) {
  replace_child(child, 0);
}

void kill_children() {
  for (const std::atomic<pid_t>& child : children) {
    if (const pid_t pid = child.load(); pid != 0) ::kill(pid, SIGKILL);
  }
}

int exit_status(int raw) {
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

}  // namespace koridor
