#include "train/run/run_clock.h"

#include "core/base/json_file.h"

namespace koridor {

void RunClock::begin(double seconds_before) {
  seconds_before_ = seconds_before;
  began_ = Clock::now();
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
