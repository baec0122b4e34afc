// The trainer's state on disk, so that it goes on as if never stopped. A file of LibTorch's own format
// (`torch.load(file)` in Python gives a dictionary of tensors; `meta` is a JSON text as bytes) with a checksum behind
// it. There is no hidden random state: every draw is derived from (seed, generation, batch number).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "train/learner/learner.h"

namespace koridor {

struct Checkpoint {
  std::string config_hash;
  std::uint64_t seed = 0;
  int generation = 0;                  // the last generation made
  int step = 0;                        // steps done towards the next one ...
  int steps = 0;                       // ... of so many; 0: not begun
  std::uint64_t new_positions = 0;     // in the shards that came in for it
  std::vector<std::string> window;     // its shards, oldest first, relative to the run directory
  std::uint64_t positions_so_far = 0;  // that ever came into the window
  LearnerState learner;
};

// Whole or not at all. Throws UserError where the disk does not take it.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Throws UserError that names the file where it is damaged or no checkpoint.
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace koridor
