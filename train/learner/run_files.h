// What a trainer finds in the directory of its run, and what it leaves there: shards of finished games, and states.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "train/run/run_directory.h"
#include "train/run/selfplay_figures.h"

namespace koridor {

// The shards of each generation's games. Several boards of a run have folders of their own.
class RunShards {
 public:
  RunShards(RunDirectory run, std::size_t boards) : run_(std::move(run)), boards_(boards) {}

  // A generation's shards in the order of their paths, each with the index of its board.
  std::vector<std::pair<std::filesystem::path, std::size_t>> of(int generation) const;
  // What they say of the games, by board. Shards that cannot be read are left out.
  std::vector<SelfplayFigures> figures(int generation) const;
  // Whether all games of the generation are there, on all boards.
  bool complete(int generation) const;

 private:
  RunDirectory run_;
  std::size_t boards_;
};

// The states of the trainer. There is one after each generation, of which the newest two stay, and while a generation is
// trained there may be a partial one.
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
