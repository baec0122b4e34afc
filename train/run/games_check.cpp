#include "train/run/games_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// The games that a generation's folder should hold, where it is part of a run: RUN/shards/gen-0000 or
// RUN/shards/gen-0000/game-1.
std::optional<std::size_t> games_wanted(const fs::path& folder, int generation) {
  fs::path root = fs::absolute(folder).lexically_normal();
  while (root.has_relative_path() && root.filename() != "shards") root = root.parent_path();
  const RunDirectory run(root.parent_path());
  if (!root.has_relative_path() || !fs::exists(run.config())) return std::nullopt;
  const SelfplayConfig selfplay = load_run_config(run).selfplay;
  return static_cast<std::size_t>(generation == 0 && selfplay.first_games > 0 ? selfplay.first_games : selfplay.games);
}

}  // namespace

void GamesCheck::add_folder(const fs::path& folder) {
  folders_[folder].whole = true;
}

void GamesCheck::add(const fs::path& shard, const ShardData& data) {
  Folder& folder = folders_[shard.parent_path()];
  folder.generation = data.info.generation;
  for (const std::uint32_t number : data.game_number) {
    folder.shards_of[number].push_back(shard.filename().string());
  }
}

std::vector<std::string> GamesCheck::faults() const {
  std::vector<std::string> lines;
  for (const auto& [path, folder] : folders_) {
    const auto twice = [](const auto& game) { return game.second.size() > 1; };
    const auto first = std::ranges::find_if(folder.shards_of, twice);
    if (first != folder.shards_of.end()) {
      const auto number = std::ranges::count_if(folder.shards_of, twice);
      lines.push_back(fmt::format("{}: {} there more than once, the first of them game {}, in {} and {}", path.string(),
                                  number == 1 ? "1 game is" : fmt::format("{} games are", number), first->first,
                                  first->second[0], first->second[1]));
    }
    if (!folder.whole || !fs::exists(path / "complete")) continue;
    const std::size_t last = folder.shards_of.empty() ? 0 : std::prev(folder.shards_of.end())->first + std::size_t{1};
    const std::size_t wanted = games_wanted(path, folder.generation).value_or(last);
    const std::size_t missing = wanted - std::min(wanted, folder.shards_of.size());
    if (missing > 0) {
      lines.push_back(fmt::format("{}: {} of {} {} missing, though it is marked as complete", path.string(), missing,
                                  counted(static_cast<std::int64_t>(wanted), "game"), missing == 1 ? "is" : "are"));
    }
  }
  return lines;
}

std::vector<fs::path> shards_below(const fs::path& folder) {
  std::vector<fs::path> shards;
  std::deque<fs::path> folders{folder};
  std::deque<fs::path> links;
  std::set<fs::path> seen;  // real places: a link may lead to a folder above it
  while (!folders.empty() || !links.empty()) {
    // What is in the folder itself comes first, so that it keeps its own names.
    std::deque<fs::path>& next = folders.empty() ? links : folders;
    const fs::path below = std::move(next.front());
    next.pop_front();
    std::error_code ignored;
    if (!seen.insert(fs::weakly_canonical(below, ignored)).second) continue;
    for (const std::string& name : names_in(below)) {
      const fs::path path = below / name;
      if (is_shard(name)) shards.push_back(path);
      if (!fs::is_directory(path, ignored)) continue;
      // Beside leases it is of games that do not count yet.
      if (name == "work" && fs::exists(below / "leases", ignored)) continue;
      (fs::is_symlink(path, ignored) ? links : folders).push_back(path);
    }
  }
  std::ranges::sort(shards);
  return shards;
}

std::vector<std::string> named_shards(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::set<fs::path> seen;
  const auto add = [&](const std::string& file) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(file, error);
    if (error || seen.insert(place).second) files.push_back(file);
  };
  for (const std::string& name : names) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored)) {
      add(name);
      continue;
    }
    const std::vector<fs::path> shards = shards_below(name);
    if (shards.empty()) throw UserError(fmt::format("{}: no shards (.h5) in this folder", name));
    for (const fs::path& shard : shards) add(shard.string());
  }
  return files;
}

}  // namespace koridor
