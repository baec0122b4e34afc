#include "train/run/run_shards.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/generator/generation_shards.h"

namespace koridor {

namespace fs = std::filesystem;

std::vector<std::pair<fs::path, std::size_t>> RunShards::of(int generation) const {
  std::vector<std::pair<fs::path, std::size_t>> paths;
  for (std::size_t board = 0; board < boards_; ++board) {
    const fs::path folder = run_.shards(generation, static_cast<int>(board));
    refresh_folder(folder);  // other machines have put shards there
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (is_shard(entry.path().filename().string())) paths.emplace_back(entry.path(), board);
    }
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
