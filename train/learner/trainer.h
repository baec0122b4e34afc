// The trainer process: it meets self-play only in the run directory.
//
//   shards/gen-g/complete appears  ->  shards enter the window  ->  steps  ->  metrics, checkpoint, and last
//   models/gen-(g+1).koridor, whose appearance says that generation g+1 is trained
//
// It may be killed at any time: the same call goes on from the newest checkpoint that can be read. A stop that is asked
// for loses nothing: the running step ends and checkpoints/gen-(g+1).partial.pt holds the state in mid-generation.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "train/run/config.h"

namespace koridor {

enum class TrainerEnd { finished, stopped };

// Trains the run in `directory` to its last generation, waiting for shards as they come. `threads` 0: the
// configuration's. Throws UserError for a directory without a readable configuration, or a disk that takes nothing;
// damaged shards and checkpoints are named on standard error and skipped.
TrainerEnd train_run(const std::filesystem::path& directory, int threads, const std::atomic<bool>& stop);

// The trainer alone: one pass over `shards` as one generation, then the model goes to `out`.
struct LearnTask {
  Config config;
  std::vector<std::string> shards;
  std::string out;
  int threads = 0;
};
TrainerEnd learn_from_shards(const LearnTask& task, const std::atomic<bool>& stop);

// Prints samples a second of the whole pipeline (window, readers, loss, optimiser, average) against the bare forward
// and backward pass of the same network in the same process.
void bench_trainer(const Config& config, int threads);

}  // namespace koridor
