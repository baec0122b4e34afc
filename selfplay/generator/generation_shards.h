// The shards in a generation's folder, as who shares out its games (leases.h) reads them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// A shard of another run lies in the folder: nothing that time would mend.
class ForeignShard : public UserError {
 public:
  using UserError::UserError;
};

// A shard as a list names it that makes it count. Who wrote it says what is in it.
struct ListedShard {
  ListedShard(std::string path, std::uint64_t sum = 0, std::vector<std::uint32_t> numbers = {})
      : file(std::move(path)), checksum(sum), games(std::move(numbers)) {}

  std::string file;                  // in the generation's folder or, before that is written, in the worker's
  std::uint64_t checksum;            // of its bytes, in its first block
  std::vector<std::uint32_t> games;  // their numbers; none: it is not said what is in the file
  friend bool operator==(const ListedShard&, const ListedShard&) = default;
};

struct FolderContents {
  std::vector<std::uint32_t> missing;  // game numbers in [0, games), rising
  std::vector<std::string> warnings;
};

// Finds out which games of a generation a folder lacks. All bytes of each shard are read and compared with its
// checksum. Where that is the one that a list says, so are the games; of other files the header, the games' numbers and
// their models are read and checked. The games themselves are not unpacked: all workers wait for this. A damaged shard
// is renamed to "<name>.damaged" and one that repeats a game to "<name>.duplicate", each with a line in `warnings`.
// Throws ForeignShard where a whole shard belongs to another run, generation or game.
FolderContents scan_shards(const std::filesystem::path& folder, int games, const std::vector<ShardInfo>& expected,
                           const std::vector<ListedShard>& listed = {});

// By number, which of so many games are in shards of the folder that no list names. `named` has the names in lists. All
// lists of a folder are of one run, so that of the shards in them one that can be read is checked. Throws ForeignShard
// for a shard of another run.
std::vector<bool> unlisted_games(const std::filesystem::path& folder, std::size_t games,
                                 const std::vector<ShardInfo>& expected, const std::vector<std::string>& names,
                                 const std::set<std::string>& named);

}  // namespace koridor
