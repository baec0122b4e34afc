// The shards of the games that a run learns from.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
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
  // Calls visit(shard, board) for each of them. Damaged ones are left out, as the trainer leaves them out. What cannot
  // be read is tried again for some seconds, and then left out as well: counts that are too small end no run.
  void for_each(int generation, const std::function<void(const ShardData&, std::size_t)>& visit) const;
  // What they say of the games, by board.
  std::vector<SelfplayFigures> figures(int generation) const;
  // Whether all games of the generation are there, on all boards.
  bool complete(int generation) const;

 private:
  RunDirectory run_;
  std::size_t boards_;
};

}  // namespace koridor
