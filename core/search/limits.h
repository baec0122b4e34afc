// When one search ends: by visits, by the clock, or because another thread says so.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "core/base/elapsed.h"
#include "core/search/clock.h"
#include "core/search/pace.h"

namespace koridor {

// A search ends at the first limit it meets, or when its root is decided (proofs.h). Without any limit it does one
// simulation.
struct SearchLimits {
  // Simulations. 0: no limit.
  int visits = 64;
  bool explore = false;  // root noise (Dirichlet or Gumbel); off in matches
  // Whether simulations kept from the last move count among them, where the rule can do without new ones (PUCT; Gumbel
  // halves its visits anew): so self-play saves work. A search that is to play well at a given cost does all of them.
  bool count_kept = true;
  double seconds = 0;  // of wall time since begin(), looked at after every few simulations; 0: no limit
  // The clock of the player to move, as it stands before the action: the search takes what time it needs of what is
  // left (pace.h). Must outlive begin(). Null: none.
  const GameClock* clock = nullptr;
  double margin = 0.02;  // seconds of the clock that the search leaves to what comes after it (time_budget)
  // Ends the search within a simulation once it is true; must outlive the search. Null: none.
  const std::atomic<bool>* stop = nullptr;
  // Leaves that may wait for their evaluation at once, in [1, kMostPending]; 1: each is waited for.
  int pending = 1;
  static constexpr int kMostPending = 4096;
  // Returns to the caller after so many simulations that need no evaluation (SearchStep::paused), of which there may be
  // many where much is proven; 0: never.
  int pause = 0;

  bool clocked() const { return clock != nullptr && !clock->unlimited(); }
  bool endless() const { return visits <= 0 && (seconds > 0 || clocked() || stop != nullptr); }
};

// Watches a search's clock and its stop. The clock is read after one simulation, then after twice as many as the last
// time while they take less than a quarter of a millisecond, at most 16, and after half as many where they take more
// than one: a search that waits for a network reads it at each. At each look a search at a player's clock also asks
// whether its choice is sure enough.
//
// A busy machine takes the processor away from a thread for some hundredths of a second, at any moment: also after the
// last simulation, before the action is played. So a search at a player's clock ends as long before its time is up as
// its longest simulation has taken, this one's or (fading) an earlier one's; for that long somebody has held it up. A
// third of the time is the most that it leaves so.
class SearchWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `ahead`: the actions that the player to move expects to play yet (actions_ahead); for searches at a clock.
  void start(const SearchLimits& limits, double ahead) {
    stop_ = limits.stop;
    clocked_ = limits.clocked();
    timed_ = limits.seconds > 0 || clocked_;
    over_ = false;
    if (!timed_) return;
    begin_ = last_look_ = Clock::now();
    // Later than any machine runs is as good as no limit, and does not overflow the clock.
    end_ = begin_ + duration(limits.seconds > 0 ? std::min(limits.seconds, kForEver) : kForEver);
    if (clocked_) {
      const TimeBudget budget = time_budget(*limits.clock, ahead, limits.margin);
      pacer_.start(budget);
      const Clock::duration time = duration(std::min(budget.most, kForEver));
      clock_end_ = begin_ + time;
      most_held_up_ = time / 3;
      longest_ = std::min(std::chrono::duration_cast<Clock::duration>(longest_ * kFading), most_held_up_);
    }
    interval_ = simulations_to_look_ = 1;
  }

  // About how many more simulations the time is enough for, after so many done in it; infinite where nobody knows:
  // there is no such limit, unused time is kept for later actions, or too few have been done to tell.
  double simulations_left(int simulations) const {
    if (!timed_ || simulations < kFewest || (clocked_ && pacer_.keeps_time())) {
      return std::numeric_limits<double>::infinity();
    }
    const Clock::time_point end = clocked_ ? std::min(end_, clock_end_ - longest_) : end_;
    const Clock::time_point now = Clock::now();
    return simulations * std::max(seconds_of(end - now), 0.0) / std::max(seconds_of(now - begin_), 1e-9);
  }

  // Whether over() has said so since start().
  bool ended() const { return over_; }
  // Whether the search, which has done so many simulations and whose choice so far choice() tells, must end; asked once
  // before each simulation.
  template <class Choice>
  bool over(int simulations, const Choice& choice) {
    if (!timed_ && stop_ == nullptr) return false;
    return over_ = over_ || (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) ||
                   (timed_ && time_is_up(simulations, choice));
  }

 private:
  // Simulations. After many that end at what is known at once the next ones may each take as long as a proof of the
  // last two walls, half a millisecond.
  static constexpr int kLongestInterval = 16;
  static constexpr int kFewest = 64;  // simulations that tell how long one takes
  static constexpr double kForEver = 1e9;
  static constexpr double kFading = 0.8;  // per search

  static Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  template <class Choice>
  bool time_is_up(int simulations, const Choice& choice) {
    if (--simulations_to_look_ > 0) return false;
    const Clock::time_point now = Clock::now();
    const Clock::duration since_look = now - last_look_;
    const double milliseconds = 1000 * seconds_of(since_look);
    if (milliseconds < 0.25) interval_ = std::min(2 * interval_, kLongestInterval);
    if (milliseconds > 1.0) interval_ = std::max(interval_ / 2, 1);
    last_look_ = now;
    simulations_to_look_ = interval_;
    if (now >= end_) return true;
    if (!clocked_) return false;
    longest_ = std::min(std::max(longest_, since_look), most_held_up_);
    return now + longest_ >= clock_end_ || pacer_.enough(seconds_of(now - begin_), simulations, choice());
  }

  const std::atomic<bool>* stop_ = nullptr;
  bool timed_ = false;
  bool clocked_ = false;
  bool over_ = false;
  Pacer pacer_;
  Clock::time_point begin_;
  Clock::time_point end_;        // by limits.seconds
  Clock::time_point clock_end_;  // by limits.clock
  Clock::time_point last_look_;
  Clock::duration longest_{};  // between two looks, at a clock
  Clock::duration most_held_up_{};
  int interval_ = 1;
  int simulations_to_look_ = 1;
};

}  // namespace koridor
