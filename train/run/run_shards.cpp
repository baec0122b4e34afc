#include "train/run/run_shards.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/shards/shard.h"

namespace koridor {

namespace fs = std::filesystem;

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

std::vector<SelfplayFigures> RunShards::figures(int generation) const {
  std::vector<SelfplayFigures> figures(boards_);
  for (const auto& [path, board] : of(generation)) {
    try {
      figures[board].add(read_shard(path.string()));
    } catch (const UserError&) {
      continue;
    }
  }
  return figures;
}

bool RunShards::complete(int generation) const {
  for (std::size_t board = 0; board < boards_; ++board) {
    if (!fs::exists(run_.complete(generation, static_cast<int>(board)))) return false;
  }
  return true;
}

}  // namespace koridor
