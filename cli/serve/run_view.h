// What a page shows of a run, from the run's files alone: they are read and never written, and no lock is taken, so
// that nothing here can disturb a training.
#pragma once

#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "selfplay/shards/shard.h"
#include "train/run/comparison.h"

namespace koridor::serve {

class RunView {
 public:
  explicit RunView(const LabelledRun& run) : run_(run) {}

  // Figures by generation, ratings, yardsticks and live progress, as docs/serve.md lists them. `since` is the `stamp`
  // of an earlier answer: where nothing else has changed, only the progress is told, and whether the run is finished.
  nlohmann::json figures(const std::string& since);

  // The games of a generation, of its first files: number, plies, outcome. `board`: an index of run.games.
  nlohmann::json games(int generation, int board);

  // One of these games with its moves, the search's values and its policies.
  nlohmann::json game(int generation, int board, int number);

 private:
  // Changes whenever a generation, a rating or a file of figures is added or replaced.
  std::string stamp() const;
  nlohmann::json progress() const;
  bool finished() const;  // as `koridor status` says it
  // The shards of a generation in the order of their games, at most kMostFiles.
  std::vector<std::string> shard_files(int generation, int board) const;
  const ShardData& shard(const std::string& file);

  LabelledRun run_;
  std::mutex mutex_;                             // guards what was read last
  std::pair<std::string, std::string> figures_;  // stamp, text
  std::optional<std::pair<std::string, ShardData>> shard_;
};

}  // namespace koridor::serve
