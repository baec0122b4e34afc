// The self-play worker: it plays games of one generation that are missing in a folder, beside any other workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/heartbeat.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/statistics.h"
#include "selfplay/generator/worker_sign.h"

namespace koridor {

struct SelfplayJob {
  AnyGame game;
  SelfplayConfig selfplay{};
  SearchConfig search{};
  Features features{};
  std::uint64_t seed = 1;  // of the run
  int board = 0;           // its place among the boards of the run
  int generation = 0;
  std::string config_hash{};
  int threads = 0;  // 0: all cores

  std::filesystem::path model{};     // read where the backend needs a model
  int model_generation = -1;         // of the model, for the records; -1: `generation`
  std::filesystem::path shards{};    // the generation's folder; created where it does not exist
  std::filesystem::path complete{};  // an empty file, created once all games are in shards
  std::filesystem::path choice{};    // keeps the chosen slots and threads; empty: they are chosen anew each time
  std::filesystem::path status{};    // JSON, rewritten at least twice per second; empty: none

  // Called at least twice per second while games are played, with the statistics of this process and the games of the
  // generation that count.
  std::function<void(const SelfplayStatistics&, std::uint64_t games)> progress{};

  // A patient worker waits where the file system fails or the model cannot be read, and tries again.
  bool patient = false;
  std::chrono::milliseconds again_after{5000};
  std::chrono::milliseconds dead_after = kDeadAfter;  // of other workers' silence

  // The number of games to play; generation 0 may have its own.
  int games() const { return generation == 0 && selfplay.first_games > 0 ? selfplay.first_games : selfplay.games; }
  // The seed of the games' random numbers. Boards of one run have streams of their own, so that games of one number
  // have nothing in common; the first has that of the run, as where it is the only one.
  std::uint64_t game_seed() const { return board == 0 ? seed : mix64(seed ^ mix64(static_cast<std::uint64_t>(board))); }
};

enum class WorkerEnd { complete, stopped };

// Plays games that are missing, in ranges that it takes (leases.h), until the generation is complete: beside any number
// of other workers, each game is counted once, however often workers are killed, suspended and started again.
// `complete` is written after a last look at the folder, which found every game once. Ends soon after `stop` is set,
// with all finished games in shards. Warnings go to standard error.
//
// The status has: state (running, complete, stopped), generation, games, games_wanted, draws, mean_plies, positions,
// positions_per_second, full_positions, evaluations, evaluations_per_second, mean_batch, cache_hit_share,
// network_share, seconds, threads, slots, choice (how they were chosen, in words), evaluator, lengths (finished games
// by length, 8 plies per entry). `games` includes those of other workers; all other numbers are of this process.
WorkerEnd run_selfplay_worker(const SelfplayJob& job, WorkerSign& sign, const std::atomic<bool>& stop);
// The same with a sign of its own in the folder `workers` beside the shards.
WorkerEnd run_selfplay_worker(const SelfplayJob& job, const std::atomic<bool>& stop);

}  // namespace koridor
