// The games of the ranges that a worker holds: their numbers for the threads that play, their shards, their lists.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "selfplay/generator/fault.h"
#include "selfplay/generator/game_source.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/leases.h"
#include "selfplay/generator/shard_writer.h"

namespace koridor {

// How many games should be ready to be played, where `in_flight` are played at once and `played` took `seconds`: those
// of about two seconds.
std::size_t games_ahead(std::uint64_t played, double seconds, std::size_t in_flight);

struct LeasedGamesOptions {
  double shard_seconds = 10;
  std::size_t in_flight = 1;    // games that the threads play at once
  std::size_t most_ranges = 1;  // held at once, so that every worker gets some
  bool stays = true;            // for what others may give back, also where nothing is left to be played here
  int work = 0;                 // its number (fault.h)
};

// Takes ranges as games are wanted: early enough that no slot waits for the file system, and not more than about two
// seconds of games ahead, since the last ranges of a generation should be shared. All work with files is done by the
// thread that stores games.
class LeasedGames : public GameSource, public GameSink {
 public:
  using Progress = std::function<void(const SelfplayStatistics&)>;

  LeasedGames(Leases& leases, std::vector<ShardInfo> infos, LeasedGamesOptions options, Fault& fault,
              Progress progress);
  // Gives back the ranges that are not whole.
  ~LeasedGames() override;

  // Takes the first ranges; to be called before the threads play. Where that fails it may be called again.
  void begin();
  // Takes further ranges, where numbers are wanted and there are any.
  void refill();
  // Writes what is left in memory and makes the ranges count that are whole; to be called after the threads have ended.
  void finish();

  // Games of the generation that count, or are in shards or in memory here.
  std::uint64_t games_known() const;
  std::size_t ranges_held() const { return open_.size(); }

  bool over() const override { return closed_ && ready_.load() == 0; }
  void wait() override;
  std::uint64_t games() const override { return wanted_; }

  void take(const GameRecord& record) override;
  void tick(const SelfplayStatistics& statistics) override;

 protected:
  std::optional<NextGame> take() override;

 private:
  struct Open {
    Lease lease;
    std::size_t left = 0;  // games to play
  };

  void take_ranges();
  void ask_again();
  void count_whole();
  void count(std::uint32_t first, const Lease& lease);
  std::size_t ahead() const;

  Leases& leases_;
  LeasedGamesOptions options_;
  Fault& fault_;
  Progress progress_;
  std::uint32_t generation_ = 0;
  ShardWriter writer_;
  std::uint64_t wanted_ = 0;

  // Of the thread that stores games.
  std::map<std::uint32_t, Open> open_;  // by first game
  std::uint64_t played_ = 0;
  std::chrono::steady_clock::time_point began_{};
  static constexpr std::chrono::milliseconds kShortest{100};
  std::chrono::milliseconds patience_ = kShortest;
  std::chrono::steady_clock::time_point next_ask_{};

  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::uint32_t> numbers_;
};

}  // namespace koridor
