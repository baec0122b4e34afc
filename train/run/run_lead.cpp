#include "train/run/run_lead.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"

namespace koridor {
namespace {

using Clock = std::chrono::steady_clock;

// A lock of a machine that is gone stays for a minute and a half on NFS.
constexpr auto kLockPatience = std::chrono::minutes(3);

std::string process_of(const nlohmann::json& sign) {
  const ProcessIdentity who = writer_of(sign);
  return fmt::format("process {} on {}", who.pid, who.host);
}

void pause(std::chrono::milliseconds length, const std::atomic<bool>& stop) {
  if (stop) throw Stopped("stopped before the run began");
  std::this_thread::sleep_for(length);
}

// Whether the counter of the process that leads the run changes within two beats.
bool beats(const RunDirectory& run, const nlohmann::json& sign, std::chrono::milliseconds beat,
           const std::atomic<bool>& stop) {
  const auto end = Clock::now() + 2 * beat;
  while (Clock::now() < end) {
    pause(beat / 25, stop);
    const auto now = read_heartbeat(run.leader());
    if (now && writer_of(*now) == writer_of(sign) && counter_of(*now) != counter_of(sign)) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<FileLock> take_lead(const RunDirectory& run, const std::atomic<bool>& stop,
                                    std::chrono::milliseconds beat) {
  auto lock = std::make_unique<FileLock>(run.lock());
  bool taken = lock->try_take();
  const auto sign = read_heartbeat(run.leader());
  if (sign && may_run(*sign) && writer_of(*sign).machine != machine_name()) {
    print_message("koridor", fmt::format("{}: {} leads this run, or did so last; looks whether it still lives",
                                         run.root().string(), process_of(*sign)));
    if (beats(run, *sign, beat, stop)) {
      const char* const why =
          taken ? "stop that first; this machine does not see its lock, so that nothing else would keep two apart"
                : "stop that first";
      throw UserError(
          fmt::format("the run {} is in use by another: {}; {}", run.root().string(), process_of(*sign), why));
    }
    for (const auto end = Clock::now() + kLockPatience; !taken && Clock::now() < end; taken = lock->try_take()) {
      pause(beat / 5, stop);
    }
  }
  if (taken) return lock;
  throw UserError(fmt::format("the run {} is in use by another: {}; stop that first", run.root().string(),
                              process_text(lock->holder())));
}

void require_lead(const RunDirectory& run) {
  const auto sign = read_heartbeat(run.leader());
  if (!sign || !may_run(*sign)) return;
  // The name of a host may change while a process runs.
  const ProcessIdentity who = writer_of(*sign);
  if (who.machine == machine_name() && who.pid == ::getpid()) return;
  throw UserError(fmt::format(
      "the run {} is led by {} as well: the locks of its file system do not keep two apart (docs/many_machines.md)",
      run.root().string(), process_of(*sign)));
}

}  // namespace koridor
