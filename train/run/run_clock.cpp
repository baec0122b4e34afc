#include "train/run/run_clock.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_file.h"

namespace koridor {

void RunClock::begin(double seconds_before) {
  seconds_before_ = seconds_before;
  began_ = Clock::now();
}

double RunClock::saved_seconds(const RunDirectory& run) {
  try {
    return std::max(0.0, member(read_json(run.status("loop")), "seconds", 0.0));
  } catch (const UserError&) {
    return 0;
  }
}

void RunClock::save() {
  run_.require_there();
  write_json(run_.status("loop"), {{"seconds", seconds()}});
}

void RunClock::save_now_and_then() {
  if (Clock::now() - saved_ <= std::chrono::seconds(2)) return;
  save();
  saved_ = Clock::now();
}

}  // namespace koridor
