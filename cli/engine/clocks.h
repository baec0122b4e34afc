// The clocks of the seats, as protocols set them and engines keep them.
#pragma once

#include <chrono>
#include <vector>

#include "core/base/elapsed.h"
#include "core/search/clock.h"

namespace koridor::cli {

class EngineClocks {
 public:
  EngineClocks(int seats, const TimeControl& control) : control_(control), clocks_(make(seats)) {}

  // All clocks begin anew, with another time control or another number of seats.
  void set(const TimeControl& control) {
    control_ = control;
    restart(static_cast<int>(clocks_.size()));
  }
  void restart(int seats) { clocks_ = make(seats); }

  GameClock& of(int seat) { return clocks_.at(static_cast<std::size_t>(seat)); }
  const GameClock& of(int seat) const { return clocks_.at(static_cast<std::size_t>(seat)); }
  const TimeControl& control() const { return control_; }

 private:
  std::vector<GameClock> make(int seats) const {
    return std::vector<GameClock>(static_cast<std::size_t>(seats), GameClock(control_));
  }

  TimeControl control_;
  std::vector<GameClock> clocks_;
};

// Measures how long an action takes.
class Stopwatch {
 public:
  double seconds() const { return seconds_since(begin_); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace koridor::cli
