#include "train/learner/run_files.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/shards/shard.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr int kCheckpointsKept = 2;

}  // namespace

std::vector<std::pair<fs::path, std::size_t>> RunShards::of(int generation) const {
  std::vector<std::pair<fs::path, std::size_t>> paths;
  for (std::size_t board = 0; board < boards_; ++board) {
    const fs::path folder = run_.shards(generation, static_cast<int>(board));
    refresh_folder(folder);  // other machines have put shards there
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".h5") paths.emplace_back(entry.path(), board);
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

fs::path RunCheckpoints::partial(int generation) const {
  fs::path path = run_.checkpoint(generation);
  return path.replace_extension(".partial.pt");
}

int RunCheckpoints::newest() const {
  int newest = -1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_.checkpoint(0).parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    newest = std::max(newest, RunDirectory::generation_of(name.substr(0, name.find('.'))).value_or(-1));
  }
  return newest;
}

void RunCheckpoints::remove_old(int generation) const {
  std::error_code ignored;
  for (int old = generation; old >= 0 && old > generation - 10; --old) {
    fs::remove(partial(old), ignored);
    if (old <= generation - kCheckpointsKept) fs::remove(run_.checkpoint(old), ignored);
  }
}

}  // namespace koridor
