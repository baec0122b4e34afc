// The trainer alone, without a run.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "train/learner/trainer.h"
#include "train/run/config.h"

namespace koridor {

// Trains on `shards` as on one generation and writes the model to `out`.
struct LearnTask {
  Config config;
  std::vector<std::string> shards;  // files, and folders with all that are in and below them
  std::string out;
  int threads = 0;
  double hold_out = 0;  // the share of the games that only measure the network (hold_out.h), in [0, 1)
  std::filesystem::path
      events{};  // folder for TensorBoard events of losses by step, in place of earlier ones; empty: none
};

// Shows a live line and at the end what was learned from, the losses and what was written, on standard output. Once
// `stop` is set it ends after the running step and writes the model as it then is; before the first step there is
// nothing to write. Damaged shards and copies of others are named on standard error and skipped. Throws UserError where
// nothing is left to learn from, with the fault of a shard that is the only one, and where a file cannot be written.
TrainerEnd learn_from_shards(const LearnTask& task, const std::atomic<bool>& stop);

}  // namespace koridor
