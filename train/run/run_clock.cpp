#include "train/run/run_clock.h"

#include <filesystem>

#include "core/base/error.h"
#include "core/base/json_file.h"

namespace koridor {

namespace fs = std::filesystem;

void RunClock::begin(double seconds_before) {
  seconds_before_ = seconds_before;
  began_ = Clock::now();
}

double RunClock::saved_seconds(const RunDirectory& run) {
  const fs::path path = run.status("loop");
  if (!fs::exists(path)) return 0.0;
  const auto saved = member(read_json(path), "seconds", -1.0);
  if (saved >= 0.0 && saved < 1e12) return saved;
  throw UserError(path.string() + ": damaged: it has no seconds");
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
