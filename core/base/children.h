// The child processes of this program, so that a signal handler can end them all.
#pragma once

#include <sys/types.h>

namespace koridor {

// A child that was just started, or has ended and was waited for. A negative number stands for a process group, as in
// kill(2).
void remember_child(pid_t child);
void forget_child(pid_t child);

// Sends SIGKILL to all that are remembered. A signal handler may call it.
void kill_children();

// What poll() and wait() of a child say: its exit status, 128 + signal where one ended it.
int exit_status(int raw);
inline constexpr int kStatusLost = 1;  // where somebody else has waited for it

}  // namespace koridor
