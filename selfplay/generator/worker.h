// The self-play worker: plays one generation's games into a folder, or what is missing of them.
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

  std::filesystem::path model{};     // read where the backend needs one
  std::filesystem::path shards{};    // the generation's folder; made where it does not exist
  std::filesystem::path complete{};  // made, empty, once all games are in shards
  std::filesystem::path choice{};    // where a choice of slots and threads is kept; empty: chosen anew each time
  std::filesystem::path status{};    // JSON, rewritten about twice a second; empty: none

  // Generation 0 may have another number, as its network knows nothing.
  int games() const { return generation == 0 && selfplay.first_games > 0 ? selfplay.first_games : selfplay.games; }
};

enum class WorkerEnd { complete, stopped };

// What a folder holds of a generation. A damaged shard is moved aside to "<name>.damaged", one that repeats a game to
// "<name>.duplicate", each with a line in `warnings`; what a killed process left half-written is removed.
struct FolderContents {
  std::vector<std::uint32_t> missing;  // game numbers in [0, games), rising
  std::vector<std::string> warnings;
};

// Throws UserError where a whole shard belongs to another run, generation or game (`expected`: one for each variant).
FolderContents scan_shards(const std::filesystem::path& folder, int games, const std::vector<ShardInfo>& expected);

// Plays the games that are missing; each game is counted once, however often the worker was killed and started again.
// Ends cleanly soon after `stop` is set: games that were finished are in shards then. Warnings go to standard error.
// The status has: state (running, complete, stopped), generation, games, games_wanted, draws, mean_plies, positions,
// positions_per_second, full_positions, evaluations, evaluations_per_second, mean_batch, cache_hit_share,
// network_share, seconds, threads, slots, choice (how they were chosen, in words), evaluator, lengths (finished games
// by length, 8 plies an entry). `games` counts those found in the folder too, the rest is of this process.
WorkerEnd run_selfplay_worker(const SelfplayJob& job, const std::atomic<bool>& stop);

}  // namespace koridor
