#include "train/run/leader_watch.h"

#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/heartbeat.h"

namespace koridor {
namespace {

constexpr std::chrono::milliseconds kLookForStop{20};
constexpr std::chrono::milliseconds kReadSign{1000};

}  // namespace

LeaderWatch::LeaderWatch(std::filesystem::path sign, const std::atomic<bool>& stop, Ends ends)
    : sign_(std::move(sign)),
      stop_(stop),
      ends_(std::move(ends)),
      thread_([this](const std::stop_token& over) { watch(over); }) {}

void LeaderWatch::watch(const std::stop_token& over) {
  std::chrono::milliseconds slept{0};
  while (!over.stop_requested() && !end_) {
    if (stop_) end_ = true;
    std::this_thread::sleep_for(kLookForStop);
    slept += kLookForStop;
    if (slept < kReadSign) continue;
    slept = std::chrono::milliseconds{0};
    try {
      const auto leader = read_heartbeat(sign_);
      if (leader && ends_(*leader)) end_ = true;
    } catch (const UserError&) {
      continue;
    }
  }
}

}  // namespace koridor
