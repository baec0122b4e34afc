// The limits at which a run ends, and the command by which it goes on beyond those that it has reached.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/run/config.h"

namespace koridor {

// How far a run has come.
struct RunExtent {
  int generations = 0;         // that it has made
  double minutes = 0;          // of work, over all starts
  std::optional<double> cost;  // in core-seconds; none: not known any more
};

// A key of the configuration that ends a run.
struct RunLimit {
  std::string key;   // as `--set` has it
  double value = 0;  // what the configuration says
  double done = 0;   // how far the run has come by it

  // A value by which it trains on: twice as much. Where that is no more than the run has come by a larger value before,
  // it is twice what it has come, as a whole number.
  double next() const;
};

// The limits that are reached, the one that has ended the run first. A cost that is not known has ended the run where
// there is a limit of it and nothing else has.
std::vector<RunLimit> reached_limits(const RunConfig& config, const RunExtent& extent);

// A command with `--set` for each of `settings` (section.key=value) that says none of the limits, and then for each
// limit's next value, quoted for a shell.
std::string command_beyond(std::string command, const std::vector<std::string>& settings,
                           const std::vector<RunLimit>& limits);

}  // namespace koridor
