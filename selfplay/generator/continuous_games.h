// The games of one generation after the other, without a pause between them: where no range of a generation is left,
// the threads go on with the next one while the games of the last are still played.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "selfplay/generator/continuous_worker.h"
#include "selfplay/generator/leased_games.h"

namespace koridor {

// Shared out among all workers of the run by each generation's leases. All work with files is done by the thread that
// stores games, but for the last look through a finished generation, which has a thread of its own.
class ContinuousGames : public GameSource, public GameSink {
 public:
  using Progress = std::function<void(const SelfplayStatistics&)>;

  // `model`: the generation of the newest model that games begin with, which others raise. `in_flight`: games that the
  // threads play at once.
  ContinuousGames(const ContinuousJob& job, WorkerSign& sign, Fault& fault, const std::atomic<int>& model,
                  std::size_t in_flight);
  ~ContinuousGames() override;

  // Opens the first generation; to be called before the threads play. `progress` is told at every tick.
  void begin(Progress progress = {});
  // Writes what is left in memory; to be called after the threads have ended.
  void finish();

  // Of the thread that stores games, or after the threads have ended:
  // Every game of the run is counted.
  bool all_complete() const { return open_.empty() && next_ >= job_.generations; }
  // The first generation that is not complete, as far as it is known here, and its games that are played.
  int generation() const { return open_.empty() ? next_ : open_.front()->generation; }
  std::uint64_t games_known() const { return open_.empty() ? 0 : open_.front()->games->games_known(); }
  // The last generation whose games are played.
  int last_generation() const { return open_.empty() ? next_ : open_.back()->generation; }
  // What the threads wait for where no game may begin before the trainer has made a further model: for that model, or
  // for the games that it is made of, which others are playing.
  enum class Wait { none, model, games };
  Wait waits_for() const;
  std::size_t ranges_held() const;
  std::uint64_t operations() const;

  bool over() const override { return over_ && ready_.load() == 0; }
  void wait() override;
  std::uint64_t games() const override { return wanted_; }

  void take(const GameRecord& record) override;
  void tick(const SelfplayStatistics& statistics) override;

 protected:
  std::optional<NextGame> take() override;

 private:
  using Clock = std::chrono::steady_clock;

  struct LookResult {
    Leases::Look look = Leases::Look::looking;
    std::vector<std::string> warnings;
    bool looked = false;  // through the shards; false where a range did not count any more
  };
  struct Open {
    Open(int number, SelfplayJob of_generation);

    int generation;
    SelfplayJob job;
    std::vector<ShardInfo> infos;
    std::unique_ptr<Leases> leases;
    std::unique_ptr<LeasedGames> games;
    bool dry = false;  // the last time, no range was to be had
    std::future<LookResult> look;
    int looks = 0;
    Clock::time_point look_after{};
  };

  bool too_far() const { return next_ < job_.generations && next_ > model_.load() + job_.ahead; }
  std::size_t wanted_ready() const;
  void make_games(Open& open);
  bool open_next();
  bool open(int generation);
  bool is_open(int generation) const;
  void open_again();
  bool move_numbers(Open& open, std::size_t wanted);
  void fill();
  bool settle(Open& open);
  void settle_all();

  const ContinuousJob& job_;
  WorkerSign& sign_;
  Fault& fault_;
  const std::atomic<int>& model_;
  std::size_t in_flight_;
  Progress progress_;
  std::uint64_t wanted_ = 0;

  // Of the thread that stores games.
  std::vector<std::unique_ptr<Open>> open_;  // in rising order
  int next_ = 0;                             // to be opened
  int first_wanted_ = 0;                     // by whoever learns; those before were learned from
  std::uint64_t played_ = 0;                 // since began_
  std::uint64_t past_operations_ = 0;
  Clock::time_point began_{};  // to play, or to play again after a wait for a model
  bool waited_ = false;        // since then
  Clock::time_point open_again_after_{};

  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<NextGame> numbers_;
};

}  // namespace koridor
