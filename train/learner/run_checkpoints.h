// The states that a trainer leaves in the directory of its run, and goes on from.
#pragma once

#include <filesystem>
#include <utility>

#include "train/run/run_directory.h"

namespace koridor {

// The states of the trainer. There is one after each generation, of which the newest two stay, and while a generation
// is trained there may be a partial one.
class RunCheckpoints {
 public:
  explicit RunCheckpoints(RunDirectory run) : run_(std::move(run)) {}

  std::filesystem::path after(int generation) const { return run_.checkpoint(generation); }
  // The state on the way to this generation, where the trainer was stopped.
  std::filesystem::path partial(int generation) const;
  // The largest generation that has a state, or that a partial one is on the way to; -1 where there is none.
  int newest() const;
  // Removes what nobody goes on from once the state after this generation is there.
  void remove_old(int generation) const;

 private:
  RunDirectory run_;
};

}  // namespace koridor
