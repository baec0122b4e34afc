// The self-play worker: it plays games of one generation that are missing in a folder, beside any other workers.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/heartbeat.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/leases.h"
#include "selfplay/generator/statistics.h"

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
  std::filesystem::path status{};    // JSON, rewritten about twice per second; empty: none

  // Called about twice per second, with the statistics of this process and the games of the generation that count.
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

// What the time of a worker goes to.
enum class Pastime {
  between,  // no generation is to be played: the next model is being made or rated
  start,    // opening a generation, reading its model, choosing slots
  games,    // the threads play, or wait for numbers of games
  store,    // the threads have ended; what is in memory is written
  others,   // nothing is to be had, and others still hold games
  look,     // looking through the generation
  looker,   // another worker does that
};
inline constexpr std::array<const char*, 7> kPastimes{"between", "start", "games", "store", "others", "look", "looker"};

// A worker as others see it: its name and its heartbeat, workers/NAME.json. The heartbeat says beside what every one
// says (heartbeat.h): role ("run": of the loop, "joined", "alone"), doing (in words), generation, games (played by this
// process), positions_per_second, evaluations_per_second, seconds_playing (the part of its threads' time in which they
// played), time (seconds by Pastime, of its whole life), ranges (that it holds), seconds_without_a_move (while it held
// some, no position was evaluated or played), file_operations (for leases), threads, and where something is wrong,
// fault.
class WorkerSign {
 public:
  WorkerSign(const std::filesystem::path& workers, const std::string& role, std::chrono::milliseconds beat = kBeat);

  const std::string& name() const { return name_; }
  const std::filesystem::path& folder() const { return folder_; }
  Heartbeat& heartbeat() { return heartbeat_; }

  void does(const std::string& what);
  // The statistics of the games in work, and what stands with its leases.
  void plays(const SelfplayStatistics& now, int threads, std::size_t ranges, std::uint64_t operations);
  // Adds the games in work to those before.
  void played();
  // Between the two this worker is at work on a generation.
  void begins_work();
  void ends_work();
  // What its time goes to from now on; to be called now and then while that stays the same.
  void spends(Pastime pastime);

 private:
  std::string name_;
  std::filesystem::path folder_;
  Heartbeat heartbeat_;
  std::uint64_t games_ = 0, games_before_ = 0;
  std::uint64_t operations_ = 0, operations_before_ = 0;
  double playing_ = 0, playing_before_ = 0;
  std::uint64_t moves_ = 0;
  std::chrono::steady_clock::time_point moved_ = std::chrono::steady_clock::now();
  Pastime pastime_ = Pastime::between;
  std::chrono::steady_clock::time_point since_ = moved_;
  std::array<double, kPastimes.size()> time_{};
};

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
