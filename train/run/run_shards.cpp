#include "train/run/run_shards.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/shards/shard.h"

namespace koridor {

namespace fs = std::filesystem;

namespace {

// How often a generation's shards are waited for that cannot be read, all together: they may be many.
constexpr int kWaitsForShards = 4;
constexpr std::chrono::seconds kWaitForShard{1};

// The shard; nothing where it is damaged or gone, or cannot be read once no `waits` are left.
std::optional<ShardData> shard_if_readable(const fs::path& path, int& waits) {
  for (;; --waits) {
    try {
      return read_shard(path.string());
    } catch (const ReadError&) {
      std::error_code unknown;
      const bool gone = !fs::exists(path, unknown) && !unknown;
      if (gone || waits == 0) return std::nullopt;
      std::this_thread::sleep_for(kWaitForShard);
    } catch (const UserError&) {
      return std::nullopt;
    }
  }
}

}  // namespace

std::vector<std::pair<fs::path, std::size_t>> RunShards::of(int generation) const {
  std::vector<std::pair<fs::path, std::size_t>> paths;
  for (std::size_t board = 0; board < boards_; ++board) {
    const fs::path folder = run_.shards(generation, static_cast<int>(board));
    refresh_folder(folder);  // other machines have put shards there
    for (fs::path& shard : shards_in(folder)) paths.emplace_back(std::move(shard), board);
  }
  std::ranges::sort(paths);
  return paths;
}

void RunShards::for_each(int generation, const std::function<void(const ShardData&, std::size_t)>& visit) const {
  int waits = kWaitsForShards;
  for (const auto& [path, board] : of(generation)) {
    if (const auto shard = shard_if_readable(path, waits)) visit(*shard, board);
  }
}

std::vector<SelfplayFigures> RunShards::figures(int generation) const {
  std::vector<SelfplayFigures> figures(boards_);
  for_each(generation, [&](const ShardData& shard, std::size_t board) { figures[board].add(shard); });
  return figures;
}

bool RunShards::complete(int generation) const {
  for (std::size_t board = 0; board < boards_; ++board) {
    if (!fs::exists(run_.complete(generation, static_cast<int>(board)))) return false;
  }
  return true;
}

}  // namespace koridor
