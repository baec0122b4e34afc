// What a worker says of itself to others.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/heartbeat.h"
#include "selfplay/generator/statistics.h"

namespace koridor {

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
  // Calls to the file system for leases since the work on the generation began.
  void operates(std::uint64_t operations);
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

}  // namespace koridor
