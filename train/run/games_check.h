// Whether folders of shards hold every game of their generation once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "selfplay/shards/shard.h"

namespace koridor {

class GamesCheck {
 public:
  // A folder of which every shard will be added: missing games count too, if it has the file `complete`.
  void add_folder(const std::filesystem::path& folder);
  void add(const std::filesystem::path& shard, const ShardData& data);

  // A line per folder with games that are there twice, and one per folder that lacks games. How many there should be is
  // in the configuration of the run that the folder is part of; outside of a run a game is missing only where a
  // later one is there.
  std::vector<std::string> faults() const;

 private:
  struct Folder {
    bool whole = false;  // whether all its shards are added
    int generation = 0;
    std::map<std::uint32_t, std::vector<std::string>> shards_of{};  // of each game, by its number
  };
  std::map<std::filesystem::path, Folder> folders_;
};

// The shards in a folder and below it, in order, without those of games that do not count yet (leases.h). Links to
// folders are followed, and each folder is searched once. Throws UserError where one cannot be read.
std::vector<std::filesystem::path> shards_below(const std::filesystem::path& folder);

// The files that are named, and in place of each folder the shards in and below it; a file that is named twice, as by
// its folder as well, is there once. Throws UserError for a folder without any.
std::vector<std::string> named_shards(const std::vector<std::string>& names);

}  // namespace koridor
