#include "selfplay/generator/shard_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace koridor {

ShardWriter::ShardWriter(std::vector<ShardInfo> infos, ShardWriterOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {
  for (ShardInfo& info : infos) {
    shards_.emplace_back();
    shards_.back().data.info = std::move(info);
  }
}

void ShardWriter::take(const GameRecord& record) {
  OpenShard& shard = shards_.at(static_cast<std::size_t>(record.variant));
  if (shard.data.games() == 0) shard.opened = Clock::now();
  append_game(record, shard.data);
  write_if_due(shard);
}

void ShardWriter::tick(const SelfplayStatistics& statistics) {
  for (OpenShard& shard : shards_) write_if_due(shard);
  if (progress_) progress_(statistics);
}

void ShardWriter::close() {
  for (OpenShard& shard : shards_) write(shard);
}

void ShardWriter::write_if_due(OpenShard& shard) {
  const double age = std::chrono::duration<double>(Clock::now() - shard.opened).count();
  if (shard.data.games() >= options_.max_games || age >= options_.seconds) write(shard);
}

void ShardWriter::write(OpenShard& shard) {
  if (shard.data.games() == 0) return;
  write_shard(free_name(*std::ranges::min_element(shard.data.game_number)).string(), shard.data);
  ShardInfo info = std::move(shard.data.info);
  shard.data = ShardData{};
  shard.data.info = std::move(info);
}

std::filesystem::path ShardWriter::free_name(std::uint32_t first_game) const {
  for (int sequence = 0;; ++sequence) {
    const auto path = options_.folder / fmt::format("games-{:06}-{:03}.h5", first_game, sequence);
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace koridor
