// The directory of a match or a tournament: every game as it ends, so that a match that was stopped, or whose process
// was killed, goes on where it was.
//
//   DIR/match.json           the game, the players and the settings
//   DIR/games.jsonl          one line per finished game, in the order in which they ended; from it the others are made
//   DIR/games.sgf, games.txt the same games as Go records, or as notation text for all other games
//   DIR/games-000000.h5      the same games as shards of 256 (selfplay/shards/README.md), named by their first line
//
// A game that ended before its first ply is in no shard: a shard's game has at least one ply.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_lock.h"
#include "core/registry.h"
#include "core/saved_game.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/schedule.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// What a match's games depend on, as text. The number of games is not part of it: a match may be made longer.
struct MatchIdentity {
  std::vector<std::string> players;             // as they were written
  std::map<std::string, std::string> settings;  // by the name of the option
  // Likewise, what decides who meets whom in which seats. A directory of an earlier version names none of it: the seats
  // of its games tell.
  std::map<std::string, std::string> schedule{};
};

// The game as text under headers: the players by seat, the round, the opening's plies, and why it ended.
SavedGame saved_match_game(const AnyGame& game, std::span<const std::string> players, const MatchGame& played);

// Throws UserError where the folder holds files, and is not the one that an earlier start has made. `what` is what it
// should be of: "a match", "a tournament".
void refuse_other_files(const std::filesystem::path& folder, std::string_view what);

class MatchFiles {
 public:
  // Makes the directory, or goes on with it. The game must outlive the object. Throws UserError where the directory
  // holds another match (with the first thing that differs), more games than the schedule has, or a line that is
  // damaged; where another process uses it; and where it cannot be written. A last line that was cut off is dropped.
  MatchFiles(std::filesystem::path folder, const AnyGame& game, const MatchIdentity& identity, const Schedule& schedule,
             std::uint64_t seed);
  // Writes the last shard, without a word where it cannot.
  ~MatchFiles();
  MatchFiles(const MatchFiles&) = delete;
  MatchFiles& operator=(const MatchFiles&) = delete;

  // The games of earlier starts.
  const std::vector<MatchGame>& played() const { return played_; }

  // Throws UserError where the disk does not take it.
  void add(const MatchGame& game);
  // Writes the last shard; to be called after the last game.
  void close();

 private:
  std::filesystem::path lines_path() const;
  std::filesystem::path text_path() const;
  void read_lines(const Schedule& schedule);
  void rewrite_text();
  void extend_shard(const MatchGame& game);
  void write_block();

  std::filesystem::path folder_;
  const AnyGame& game_;
  std::vector<std::string> players_;
  std::vector<MatchGame> played_;
  FileLock lock_;
  std::ofstream lines_;
  std::ofstream text_;
  ShardData shard_;     // of the lines from block_ on
  int block_ = 0;       // first line of the shard under way
  int line_count_ = 0;  // lines so far
  bool unwritten_ = false;
};

}  // namespace koridor
