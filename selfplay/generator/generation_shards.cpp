#include "selfplay/generator/generation_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <system_error>

#include "core/base/files.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// Another worker may have moved it just now.
void move_aside(const fs::path& path, const char* suffix) {
  if (std::rename(path.c_str(), (path.string() + suffix).c_str()) == 0 || errno == ENOENT) return;
  throw UserError(fmt::format("cannot move aside {}: {}", path.string(), std::strerror(errno)));
}

std::string description(const ShardInfo& info) {
  return fmt::format("{}, generation {}, seed {}, configuration {}", info.game, info.generation, info.seed,
                     info.config_hash);
}

void require_expected(const fs::path& path, const ShardInfo& info, const std::vector<ShardInfo>& expected) {
  if (std::ranges::find(expected, info) != expected.end()) return;
  throw ForeignShard(fmt::format("{}: this shard is of {}, not of {}; use another folder", path.string(),
                                 description(info), description(expected[0])));
}

// All lists of a folder are of one run: the first shard that one of them names and that can be read tells which.
void require_own(const fs::path& folder, const std::vector<ShardInfo>& expected, const std::vector<std::string>& names,
                 const std::set<std::string>& named) {
  for (const std::string& name : names) {
    if (!named.contains(name)) continue;
    try {
      require_expected(folder / name, read_shard_info((folder / name).string()), expected);
      return;
    } catch (const ForeignShard&) {
      throw;
    } catch (const UserError&) {
      continue;  // damaged, or moved just now
    }
  }
}

// The games of a sound file, which are as it was written or, where nobody says that, are read. HDF5 takes twenty times
// as long to open a file as its bytes take to be read.
std::vector<std::uint32_t> games_in(const fs::path& path, const ListedShard* listed,
                                    const std::vector<ShardInfo>& expected) {
  if (listed != nullptr && !listed->games.empty() && shard_checksum(path.string()) == listed->checksum) {
    return listed->games;
  }
  ShardGames read = read_shard_games(path.string());
  require_expected(path, read.info, expected);
  return std::move(read.numbers);
}

// Adds a shard's games to those that are there; false, and nothing is added, where one of them is there already.
bool add_games(const std::vector<std::uint32_t>& numbers, std::vector<bool>& there) {
  for (auto number = numbers.begin(); number != numbers.end(); ++number) {
    if (*number >= there.size()) continue;
    if (there[*number]) {
      for (auto added = numbers.begin(); added != number; ++added) {
        if (*added < there.size()) there[*added] = false;
      }
      return false;
    }
    there[*number] = true;
  }
  return true;
}

}  // namespace

FolderContents scan_shards(const fs::path& folder, int games, const std::vector<ShardInfo>& expected,
                           const std::vector<ListedShard>& listed) {
  std::map<std::string, const ListedShard*> by_name;
  for (const ListedShard& shard : listed) by_name[fs::path(shard.file).filename().string()] = &shard;
  FolderContents contents;
  std::vector<bool> there(static_cast<std::size_t>(games));
  for (const std::string& name : names_in(folder)) {
    if (!is_shard(name)) continue;
    const fs::path path = folder / name;
    std::vector<std::uint32_t> numbers;
    try {
      const auto found = by_name.find(name);
      numbers = games_in(path, found == by_name.end() ? nullptr : found->second, expected);
    } catch (const ForeignShard&) {
      throw;
    } catch (const ReadError&) {  // it may be sound, unless another worker moved it aside
      std::error_code ignored;
      if (fs::exists(path, ignored)) throw;
      continue;
    } catch (const UserError& error) {
      std::error_code ignored;
      if (!fs::exists(path, ignored)) continue;
      contents.warnings.push_back(fmt::format("{}; moved aside, its games are played again", error.what()));
      move_aside(path, ".damaged");
      continue;
    }
    if (!add_games(numbers, there)) {
      contents.warnings.push_back(path.string() + ": holds a game that another shard has; moved aside");
      move_aside(path, ".duplicate");
    }
  }
  for (std::uint32_t number = 0; number < there.size(); ++number) {
    if (!there[number]) contents.missing.push_back(number);
  }
  return contents;
}

std::vector<bool> unlisted_games(const fs::path& folder, std::size_t games, const std::vector<ShardInfo>& expected,
                                 const std::vector<std::string>& names, const std::set<std::string>& named) {
  require_own(folder, expected, names, named);
  std::vector<bool> there(games);
  for (const std::string& name : names) {
    if (!is_shard(name) || named.contains(name)) continue;
    const fs::path path = folder / name;
    ShardGames shard;
    try {
      shard = read_shard_games(path.string());
    } catch (const UserError&) {
      continue;  // the last look names it
    }
    require_expected(path, shard.info, expected);
    for (const std::uint32_t number : shard.numbers) {
      if (number < there.size()) there[number] = true;
    }
  }
  return there;
}

}  // namespace koridor
