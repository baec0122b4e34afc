// The trainer alone, without a run.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "train/learner/trainer.h"
#include "train/run/config.h"

namespace koridor {

// Trains on `shards` as on one generation and writes the model to `out`.
struct LearnTask {
  Config config;
  std::vector<std::string> shards;
  std::string out;
  int threads = 0;
};
TrainerEnd learn_from_shards(const LearnTask& task, const std::atomic<bool>& stop);

}  // namespace koridor
