// What a start does in a run's directory before the run's processes work there.
#pragma once

#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

struct OpenedRun {
  double seconds = 0;              // of work before this start
  std::vector<std::string> notes;  // what was found damaged, and what becomes of it: a line each for the user
};

// Makes the directory of a new run, or puts that of an earlier start in order: keeps the configuration, removes what
// killed processes left, moves a damaged newest model aside and has the newest games looked through. The caller holds
// the run's lock. Throws UserError where the directory belongs to another configuration.
OpenedRun open_run(const RunDirectory& run, const Config& config);

}  // namespace koridor
