// The sink that puts finished games into shards.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "selfplay/generator/generator.h"
#include "selfplay/shards/shard.h"

namespace koridor {

struct ShardWriterOptions {
  std::filesystem::path folder;
  double seconds = 10;           // a shard is closed at most this long after its first game ...
  std::size_t max_games = 4096;  // ... or when it holds this many games
};

// Keeps one open shard per variant in memory and writes each as a file "games-<first game number>-<sequence>.h5" into
// the folder, under a name that no file there has. Games that are not yet in a file are lost with the process; close()
// writes them.
class ShardWriter : public GameSink {
 public:
  using Progress = std::function<void(const SelfplayStatistics&)>;

  // `infos`: the header of each variant's shards, in the order of GameRecord::variant.
  ShardWriter(std::vector<ShardInfo> infos, ShardWriterOptions options, Progress progress = {});

  void take(const GameRecord& record) override;
  void tick(const SelfplayStatistics& statistics) override;

  // Writes the games that are left. Throws UserError where they cannot be written.
  void close();

 private:
  using Clock = std::chrono::steady_clock;

  struct OpenShard {
    ShardData data;
    Clock::time_point opened;  // when it got its first game
  };

  void write_if_due(OpenShard& shard);
  void write(OpenShard& shard);
  std::filesystem::path free_name(std::uint32_t first_game) const;

  ShardWriterOptions options_;
  Progress progress_;
  std::vector<OpenShard> shards_;
};

}  // namespace koridor
