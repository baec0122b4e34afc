#include "selfplay/generator/housekeeper.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/thread_time.h"

namespace koridor {

Housekeeper::Housekeeper(GameSink& sink, Failure& failure, std::uint64_t games_wanted, double tick_seconds, Count count)
    : sink_(sink),
      failure_(failure),
      count_(std::move(count)),
      tick_interval_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(tick_seconds))),
      started_(Clock::now()) {
  statistics_.games_wanted = games_wanted;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    throw UserError(std::string("cannot start the thread that stores games: ") + error.what());
  }
}

std::unique_ptr<GameRecord> Housekeeper::exchange(std::unique_ptr<GameRecord> finished) {
  const std::lock_guard lock(mutex_);
  finished_.push_back(std::move(finished));
  wake_.notify_one();
  if (empty_.empty()) return std::make_unique<GameRecord>();
  std::unique_ptr<GameRecord> record = std::move(empty_.back());
  empty_.pop_back();
  return record;
}

const SelfplayStatistics& Housekeeper::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  return statistics_;
}

void Housekeeper::work() {
  try {
    keep_house();
  } catch (...) {
    failure_.keep();
  }
}

void Housekeeper::keep_house() {
  std::vector<std::unique_ptr<GameRecord>> games;
  Clock::time_point next_tick = started_ + tick_interval_;
  for (bool last = false; !last;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next_tick, [this] { return closing_ || !finished_.empty(); });
      for (auto& game : games) empty_.push_back(std::move(game));
      games.clear();
      std::swap(games, finished_);
      last = closing_;
    }
    if (failure_.failed() && !sink_works_) {
      next_tick = Clock::now() + tick_interval_;
      continue;
    }
    try {
      for (const auto& game : games) {
        sink_.take(*game);
        count_game(*game);
      }
      if (last || Clock::now() >= next_tick) {
        next_tick = Clock::now() + tick_interval_;
        statistics_.seconds = seconds_since(started_);
        statistics_.ledger.writing = thread_seconds();
        count_(statistics_);
        sink_.tick(statistics_);
      }
    } catch (...) {
      sink_works_ = false;
      failure_.keep();
    }
  }
}

void Housekeeper::count_game(const GameRecord& game) {
  statistics_.games += 1;
  statistics_.draws += std::ranges::max(game.outcome) < 1.0f ? 1 : 0;
  statistics_.finished_plies += game.plies();
  const std::size_t bucket = game.plies() / SelfplayStatistics::kBucketPlies;
  statistics_.lengths[std::min<std::size_t>(bucket, SelfplayStatistics::kLengthBuckets - 1)] += 1;
}

}  // namespace koridor
