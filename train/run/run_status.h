// What the processes of a run do, as their signs of life say it, and what is stuck: `koridor status`.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "train/run/run_directory.h"

namespace koridor {

struct RunProcess {
  std::string process{};  // "loop", "trainer", "worker"
  std::string name{};     // of a worker
  std::string host{};
  int pid = 0;
  std::string state{};            // "living", "silent", "unknown", "dead", "ended", "stopped", "failed", "finished"
  std::string doing{};            // in words
  std::optional<double> rate{};   // positions or samples per second
  std::optional<double> games{};  // that a worker has played
  std::optional<double> still{};  // seconds since the last sign of life; none of who has ended and said so
};

struct RunStatus {
  int models = 0;                          // generations whose model is there
  int generations = 0;                     // that there are to be; 0: not known
  int generation = -1;                     // of what is done now; -1: nothing, or not known
  std::string phase;                       // "start", "train", "play", "rate", "gate", "continuous"; empty likewise
  std::string state;                       // of the process that leads the run, as above; empty: nobody leads it
  std::optional<int> games, games_wanted;  // in phases "play" and "continuous"
  std::optional<int> step, steps;          // in phases "train" and "continuous"
  std::vector<RunProcess> processes;
  std::vector<std::string> stuck;  // a sentence each
};

// Looks at a run, on whichever machine it is. Of processes of this machine the kernel says whether they run; where
// their file is not new, and where they are on another machine, they are watched by this process's own clock until each
// has given a sign of life, `patience` at most: "unknown" is who has given none in less than two beats. Throws
// UserError where this is no run directory: it has neither a configuration nor signs of life.
RunStatus run_status(const RunDirectory& run, std::chrono::milliseconds patience, const std::atomic<bool>& stop);

}  // namespace koridor
