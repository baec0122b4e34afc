// The replay window of a run's trainer, filled from the run's shards.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "train/learner/replay_window.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"
#include "train/run/run_shards.h"

namespace koridor {

// What is damaged or missing of the run's games is named on standard error and passed over.
class RunWindow {
 public:
  // `hash` is that of the run's configuration. Once `stop` is set nothing is tried again.
  RunWindow(const RunDirectory& run, const Config& config, const std::string& hash, const std::atomic<bool>& stop);

  ReplayWindow& positions() { return window_; }
  const ReplayWindow& positions() const { return window_; }
  const RunShards& shards() const { return shards_; }

  // Adds one shard and returns its number of positions. One that cannot be read may be sound: it is tried again for
  // some seconds, and then throws ReadError; ForeignFile where it is of another run.
  std::size_t add(const std::filesystem::path& shard);
  // Adds those of the generation that are not in the window.
  std::size_t add_generation(int generation);
  // Their paths in the run; a file whose name is no UTF-8 is passed over.
  std::vector<std::string> missing(int generation) const;

  // Whether a shard is of that generation's games.
  bool is_of(const std::filesystem::path& shard, int generation) const;
  // The window's shards by their paths in the run, oldest first.
  std::vector<std::string> files() const;
  // Of these and of the number of positions.
  std::uint64_t checksum() const;

 private:
  RunDirectory run_;
  std::size_t boards_;
  RunShards shards_;
  ReplayWindow window_;
  const std::atomic<bool>& stop_;
};

}  // namespace koridor
