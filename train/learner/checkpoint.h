// The trainer's state on disk, from which it goes on as if it had never stopped. The file is in LibTorch's own format,
// followed by a checksum: `torch.load(file)` in Python gives a dictionary of tensors, of which `meta` is a JSON text as
// bytes. No random state is stored, since every draw is derived from (seed, generation, batch number).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "train/learner/learner.h"
#include "train/learner/steps.h"

namespace koridor {

struct Checkpoint {
  std::string config_hash;
  int encoding_version = 1;  // of the game the weights read (EncodingShape::version)
  std::uint64_t seed = 0;
  int generation = 0;                  // the last generation made
  int step = 0;                        // steps done towards the next generation ...
  int steps = 0;                       // ... of this number; 0: not begun
  StepSummary so_far;                  // of these steps, but for the recent ones; older files do not say
  std::uint64_t new_positions = 0;     // in the shards that were added for the next generation
  std::vector<std::string> window;     // paths of its shards in the run directory, in the order of being added
  std::uint64_t positions_so_far = 0;  // all positions that were ever added to the window
  LearnerState learner;
};

// Writes the file whole or not at all. Throws UserError where it cannot be written.
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

// Throws UserError that names the file where it is damaged or no checkpoint.
Checkpoint load_checkpoint(const std::filesystem::path& path);

// The bytes of such a file, and the checkpoint that they hold; errors name `where`.
std::string checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint read_checkpoint(const std::string& bytes, const std::string& where);

}  // namespace koridor
