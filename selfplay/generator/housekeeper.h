// The thread that gives finished games to the sink and reports progress. The threads that play only exchange a full
// record for an empty one under its lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/failure.h"
#include "selfplay/generator/generator.h"

namespace koridor {

class Housekeeper {
 public:
  // Writes what all threads have counted so far into the statistics.
  using Count = std::function<void(SelfplayStatistics&)>;

  // Throws UserError where there is no thread for it.
  Housekeeper(GameSink& sink, Failure& failure, std::uint64_t games_wanted, double tick_seconds, Count count);
  ~Housekeeper() { close(); }

  // Takes a finished game and gives an empty record for the next one.
  std::unique_ptr<GameRecord> exchange(std::unique_ptr<GameRecord> finished);

  // Takes the remaining games, ticks a last time and ends; the statistics are then final.
  const SelfplayStatistics& close();

 private:
  using Clock = std::chrono::steady_clock;

  // No exception may leave a thread: what a lack of memory does outside of the sink ends the games too.
  void work();
  void keep_house();
  void count_game(const GameRecord& game);

  GameSink& sink_;
  Failure& failure_;
  Count count_;
  Clock::duration tick_interval_;
  Clock::time_point started_;
  SelfplayStatistics statistics_;
  bool sink_works_ = true;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::vector<std::unique_ptr<GameRecord>> finished_;
  std::vector<std::unique_ptr<GameRecord>> empty_;
  std::thread thread_;
};

}  // namespace koridor
