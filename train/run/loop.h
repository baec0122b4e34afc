// The loop of a run: generations of self-play, training and rating until the run is done. The self-play worker and the
// trainer are child processes. All three processes meet only in the run directory, so any of them may be killed
// at any time.
//
//   generation g:  models/gen-g  --self-play-->  shards/gen-g  --training-->  models/gen-(g+1)  --matches-->  ratings
//
// Self-play, training and rating take turns, each with all cores, or run at once (run.mode = "continuous"). Workers
// that join the run (join.h) take part in each generation's games; run/leader.json tells them what is to be done, and
// everyone that the loop lives.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "train/run/config.h"

namespace koridor {

struct LoopOptions {
  std::filesystem::path run;            // the run directory; created where it does not exist
  std::filesystem::path programs;       // the folder of `koridor` and `koridor-trainer`
  std::string command{};                // the command that continues the run, shown at the end, without ...
  std::vector<std::string> settings{};  // ... the keys that it sets, each as section.key=value
  bool selfplay = true;                 // false: only workers that join the run play (join.h)
  int trainers = 1;                     // processes that train together on this machine (trainers.h); 0: others train
  // Of a run that is part of a larger work: begins the live line. Such a run is not rated, and nothing but warnings
  // stays of what it shows.
  std::string part_of{};
};

enum class LoopEnd { finished, stopped };

// Starts or continues a run and shows its progress on standard output. Ends soon after `stop` is set; the run can then
// be continued. Throws UserError where the directory belongs to another configuration or is in use, and where a child
// process fails.
LoopEnd run_loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop);

}  // namespace koridor
