#include "core/base/children.h"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace koridor {
namespace {

constexpr int kStatusLost = 1;

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

std::optional<int> reap(pid_t child, int options) {
  int raw = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, &raw, options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return kStatusLost;
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

}  // namespace koridor
