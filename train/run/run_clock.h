// How long a run has been worked on, over all starts of its loop; run/status/loop.json keeps it from one to the next.
#pragma once

#include <chrono>

#include "core/base/elapsed.h"
#include "train/run/run_directory.h"

namespace koridor {

class RunClock {
 public:
  explicit RunClock(const RunDirectory& run) : run_(run) {}

  // This start's work begins now, after so many seconds of work of earlier starts.
  void begin(double seconds_before);

  // Of work in all, as the run's directory has it; 0 where it has none yet. Throws UserError, which names the file,
  // where that cannot be read or says none.
  static double saved_seconds(const RunDirectory& run);

  // Of work in all, and of that since begin().
  double seconds() const { return seconds_before_ + seconds_here(); }
  double seconds_here() const { return seconds_since(began_); }

  // Throws UserError where the run's directory has vanished: a write would make it anew and hide that.
  void save();
  // The same every two seconds, for who calls it more often.
  void save_now_and_then();

 private:
  using Clock = std::chrono::steady_clock;

  RunDirectory run_;
  Clock::time_point began_{};
  Clock::time_point saved_{};
  double seconds_before_ = 0;
};

}  // namespace koridor
