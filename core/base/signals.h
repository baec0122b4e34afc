// Signals that ask a program to end.
#pragma once

#include <atomic>

namespace koridor {

// Set by Ctrl-C (SIGINT) and SIGTERM once catch_signals() was called: "finish your step and end".
std::atomic<bool>& stop_requested();
void catch_signals();

// A write to a full disk or beyond the limit of a file's size becomes an error to report instead of a fatal signal.
void report_full_disks();

}  // namespace koridor
