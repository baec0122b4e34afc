#include "train/run/leader_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/version.h"

namespace koridor {
namespace {

constexpr std::chrono::milliseconds kLookForStop{20};
constexpr std::chrono::milliseconds kReadSign{1000};

Build build_of(const nlohmann::json& leader) {
  return {member(leader, "version", std::string()), member(leader, "commit", std::string())};
}

}  // namespace

bool is_of_another_build(const nlohmann::json& leader) {
  return build_of(leader) != this_build();
}

void require_the_leaders_build(const RunDirectory& run, const nlohmann::json& leader, std::string_view what) {
  if (!is_of_another_build(leader)) return;
  throw UserError(fmt::format("the run {} is led by {}, and this is {}: {} must be the same", run.root().string(),
                              build_text(build_of(leader)), build_text(this_build()), what));
}

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
