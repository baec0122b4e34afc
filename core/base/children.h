// The child processes of this program, so that a signal handler can end them all.
#pragma once

#include <sys/types.h>

#include <optional>

namespace koridor {

// A child that was just started, or has ended and was waited for. A negative number stands for a process group, as in
// kill(2).
void remember_child(pid_t child);
void forget_child(pid_t child);

// Sends SIGKILL to all that are remembered. A signal handler may call it.
void kill_children();

// Waits for the end of a child by waitpid with `options`. Returns its exit status, 128 + signal where one ended it, and
// 1 where somebody else has waited for it: where SIGCHLD is ignored the kernel drops a child with its status. Nothing
// where it lives, which only WNOHANG lets it say.
std::optional<int> reap(pid_t child, int options = 0);

}  // namespace koridor
