// The self-play worker, a process: it plays the games of one generation that are missing in a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/registry.h"
#include "core/search/config.h"
#include "selfplay/generator/config.h"
#include "selfplay/shards/shard.h"

namespace koridor {

struct SelfplayJob {
  AnyGame game;
  SelfplayConfig selfplay{};
  SearchConfig search{};
  Features features{};
  std::uint64_t seed = 1;
  int generation = 0;
  std::string config_hash{};
  int threads = 0;  // 0: all cores

  std::filesystem::path model{};     // read where the backend needs a model
  std::filesystem::path shards{};    // the generation's folder; created where it does not exist. Its file `lock` is
                                     // held by the worker that plays there
  std::filesystem::path complete{};  // an empty file, created once all games are in shards
  std::filesystem::path choice{};    // keeps the chosen slots and threads; empty: they are chosen anew each time
  std::filesystem::path status{};    // JSON, rewritten about twice per second; empty: none

  // The number of games to play; generation 0 may have its own.
  int games() const { return generation == 0 && selfplay.first_games > 0 ? selfplay.first_games : selfplay.games; }
};

enum class WorkerEnd { complete, stopped };

struct FolderContents {
  std::vector<std::uint32_t> missing;  // game numbers in [0, games), rising
  std::vector<std::string> warnings;
};

// Finds out which games of a generation a folder lacks. A damaged shard is renamed to "<name>.damaged" and one that
// repeats a game to "<name>.duplicate", each with a line in `warnings`; files that a killed process left half-written
// are removed. Throws UserError where a whole shard belongs to another run, generation or game. `expected` has one
// entry per variant.
FolderContents scan_shards(const std::filesystem::path& folder, int games, const std::vector<ShardInfo>& expected);

// Plays the games that are missing; each game is counted once, however often the worker was killed and started again.
// Where another worker still plays in the folder, it waits for that one's end and says so. `complete` is written after
// a last look at the folder, which found every game once. Ends soon after `stop` is set, with all finished games in
// shards. Warnings go to standard error.
//
// The status has: state (running, complete, stopped), generation, games, games_wanted, draws, mean_plies, positions,
// positions_per_second, full_positions, evaluations, evaluations_per_second, mean_batch, cache_hit_share,
// network_share, seconds, threads, slots, choice (how they were chosen, in words), evaluator, lengths (finished games
// by length, 8 plies per entry). `games` includes the games found in the folder; all other numbers are of this process.
WorkerEnd run_selfplay_worker(const SelfplayJob& job, const std::atomic<bool>& stop);

}  // namespace koridor
