// The right to lead a run, which one process has at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "core/base/file_lock.h"
#include "core/base/heartbeat.h"
#include "train/run/run_directory.h"

namespace koridor {

// Takes run.lock(). Where a process of another machine says in run.leader() that it leads the run, a line on standard
// error says so, and its sign is watched for two beats: a file system may give one lock to several machines, and may
// keep for some minutes that of a machine which is gone. Throws UserError where another process leads the run, or has
// the lock, and Stopped where `stop` was set meanwhile.
std::unique_ptr<FileLock> take_lead(const RunDirectory& run, const std::atomic<bool>& stop,
                                    std::chrono::milliseconds beat = kBeat);

// Throws UserError where run.leader() is the sign of another process that may run: both lead.
void require_lead(const RunDirectory& run);

}  // namespace koridor
