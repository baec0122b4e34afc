// Collects the finished games of a match's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "selfplay/matches/interval.h"
#include "selfplay/matches/match.h"

namespace koridor {

class Scoreboard {
 public:
  // `games`: the number of games of the match. The options must outlive the scoreboard; their callbacks are called
  // under its lock.
  Scoreboard(const MatchOptions& options, int games) : options_(options), games_(games) {}

  void keep(const MatchGame& game) {
    const std::lock_guard lock(mutex_);
    SeatScore& score = by_seat_[static_cast<std::size_t>(game.seat)];
    score.games += 1;
    // A player who forfeited has no points, though the others drew.
    const float points = game.outcome.values[static_cast<std::size_t>(game.seat)];
    score.wins += points == 1 ? 1 : 0;
    score.draws += points > 0 && points < 1 ? 1 : 0;
    score.losses += points == 0 ? 1 : 0;
    points_ += points;
    plies_ += game.actions.size();
    done_ += 1;
    if (options_.on_game) options_.on_game(game);
    if (options_.progress) options_.progress(done_, games_);
  }

  // To be called after the threads have ended.
  MatchResult result() const {
    MatchResult result;
    result.by_seat = by_seat_;
    result.score = done_ > 0 ? points_ / done_ : 0;
    result.mean_plies = done_ > 0 ? static_cast<double>(plies_) / done_ : 0;
    const Interval interval = wilson_interval(result.score, done_);
    result.low = interval.low;
    result.high = interval.high;
    result.stopped = done_ < games_;
    return result;
  }

 private:
  const MatchOptions& options_;
  int games_;
  std::mutex mutex_;
  std::array<SeatScore, kMaxPlayers> by_seat_{};
  double points_ = 0;
  std::uint64_t plies_ = 0;
  int done_ = 0;
};

}  // namespace koridor
