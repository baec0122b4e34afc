// Signals that ask a program to end.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string_view>

namespace koridor {

// Set by Ctrl-C (SIGINT), SIGTERM, SIGHUP (a terminal that was closed) and SIGPIPE (nobody reads the output any more)
// once catch_signals() was called: "finish your step and end". A second Ctrl-C kills the children and ends the program
// at once with exit code 130; one that follows the first within kSameInterrupt counts as the same, since some programs
// pass a Ctrl-C on to a whole group twice. SIGHUP and SIGPIPE stay ignored where the program was started so, as nohup
// does.
std::atomic<bool>& stop_requested();
void catch_signals();
// From now on they end the program at once, as before that, but for those that it was started to ignore.
void release_signals();
// Before that, Ctrl-C ends the program at once, as it does without this, but with a line that says so: shells see the
// signal, and say kStoppedExit. SIGINT stays ignored where the program was started so, as a background job of a script.
void say_when_interrupted();
inline constexpr long kSameInterrupt = 300;  // milliseconds

// write(2) that is an error with EPIPE, and no signal, where nobody reads.
ssize_t write_quietly(int file, std::string_view bytes);

// A child that has ended keeps its exit status until it is waited for, also in a program that was started with SIGCHLD
// ignored, as some supervisors and shells do: the kernel drops it there.
void keep_ended_children();

// A write to a full disk or beyond the limit of a file's size becomes an error to report instead of a fatal signal.
void report_full_disks();

}  // namespace koridor
