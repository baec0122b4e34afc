// Puts finished games into shards.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "selfplay/generator/generation_shards.h"
#include "selfplay/shards/game_record.h"
#include "selfplay/shards/shard.h"

namespace koridor {

struct ShardWriterOptions {
  std::filesystem::path folder;
  std::string writer;   // part of the files' names: each that writes games of a generation has another
  double seconds = 10;  // a game is in a file after this time
};

// Keeps one open shard per variant and group of games in memory and writes each as a file
// "games-<number>-<sequence>-<writer>.h5" into the folder, under a name that no file there has or has had. The number
// is that of the group's first game. Games that are not yet in a file are lost with the process; close() writes them.
// Where a file cannot be written, its games stay in memory.
//
// A group becomes one file per variant, by close_group(). What is due before is written as a part, a file that saves
// the games if the process dies: it is not synced, and the group's file holds its games again.
class ShardWriter {
 public:
  // `infos`: the header of each variant's shards, in the order of GameRecord::variant.
  ShardWriter(std::vector<ShardInfo> infos, ShardWriterOptions options);

  // Adds a game without writing anything yet, to the group whose first game has this number.
  void keep(const GameRecord& record, std::uint32_t group);
  // Writes what is due as parts; or the group's files; or all that is in no file, as parts. Throws UserError where they
  // cannot be written.
  void write_due();
  bool any_due() const;
  void close_group(std::uint32_t group);
  void close();
  // The files of a group, and the names of its parts, until it is forgotten.
  std::vector<ListedShard> files_of(std::uint32_t group) const;
  std::vector<std::string> parts_of(std::uint32_t group) const;
  void forget_group(std::uint32_t group) { groups_.erase(group); }

 private:
  using Clock = std::chrono::steady_clock;

  struct OpenShard {
    ShardData data;            // what is in no file yet
    ShardData whole;           // all games of the group
    Clock::time_point opened;  // when it got its first game
  };
  struct Group {
    std::vector<OpenShard> shards;  // by variant
    std::vector<ListedShard> files;
    std::vector<std::string> parts;
  };

  bool due(const OpenShard& shard) const;
  void write_open(OpenShard& shard, std::uint32_t number, Group& group);
  std::filesystem::path free_name(std::uint32_t number) const;

  std::vector<ShardInfo> infos_;
  ShardWriterOptions options_;
  std::map<std::uint32_t, Group> groups_;
};

}  // namespace koridor
