// A worker that joins a run which another process leads, on this machine or another: it plays games of the generation
// in work beside the others, and waits while there is nothing to play.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

struct JoinOptions {
  int threads = 0;                              // 0: as the configuration says, the one given before the run's
  std::chrono::milliseconds again_after{5000};  // between two tries of what failed
  // What the worker does, the most telling parts first; called now and then, from any thread but never from two at
  // once.
  std::function<void(const std::vector<std::string>&)> show{};
};

enum class JoinEnd { finished, stopped };

// Throws UserError where the directory does not exist.
void require_directory_to_join(const RunDirectory& run);

// Plays until the run is finished or `stop` is set. A run that has not begun yet is waited for. Where its files cannot
// be read or written, the worker says so in a line and tries again. Throws UserError where the directory does not
// exist, the process that leads the run is of another version of Koridor, or `given` is another configuration than the
// run's. Of the keys that may change between the stops of a run, `given` sets this worker's run.threads, selfplay.slots
// and selfplay.device; where it differs from the run's in another one, a line says that the run's counts.
JoinEnd join_run(const RunDirectory& run, const std::optional<Config>& given, const JoinOptions& options,
                 const std::atomic<bool>& stop);

}  // namespace koridor
