// The main job: generations of self-play, training and rating until the run is done. The self-play worker and the
// trainer are child processes; all three meet only in the run directory, so any of them may be killed at any time.
//
//   generation g:  models/gen-g  --self-play-->  shards/gen-g  --training-->  models/gen-(g+1)  --matches-->  ratings
//
// Self-play and training take turns with all cores: each is as fast as the machine allows and neither starves.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "train/run/config.h"

namespace koridor {

struct LoopOptions {
  std::filesystem::path run;       // the run directory; made where it does not exist
  std::filesystem::path programs;  // the folder of `koridor` and `koridor-trainer`
  std::string command;             // what the user typed, to say how to go on
};

enum class LoopEnd { finished, stopped };

// Runs or continues a run, showing progress on standard output. Ends cleanly soon after `stop` is set. Throws UserError
// where the directory belongs to another configuration, is in use, or a child process fails.
LoopEnd run_loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop);

}  // namespace koridor
