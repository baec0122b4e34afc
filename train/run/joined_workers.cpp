#include "train/run/joined_workers.h"

#include <string>
#include <system_error>
#include <utility>

#include "core/base/json_file.h"
#include "core/base/signs_of_life.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kBetweenLooks{1};
constexpr std::chrono::minutes kEnded{1};    // `koridor status` names them that long
constexpr std::chrono::minutes kSilent{60};  // one that was only suspended writes its sign anew

}  // namespace

nlohmann::json JoinedWorkers::speeds(const nlohmann::json& status, int generation, double seconds) const {
  bool joined = false;
  for_each_sign(run_.workers(), [&](const fs::path&, const nlohmann::json& sign) {
    joined = member(sign, "role", std::string()) == "joined" && member(sign, "generation", -1) == generation;
    return !joined;
  });
  return joined ? nlohmann::json{{"played_seconds", seconds}} : status;
}

void JoinedWorkers::tidy(Clock::time_point now) {
  if (looked_ != Clock::time_point{} && now - looked_ < kBetweenLooks) return;
  looked_ = now;
  std::map<fs::path, Seen> seen;
  for_each_sign(run_.workers(), [&](const fs::path& path, const nlohmann::json& sign) {
    const std::uint64_t counter = counter_of(sign);
    const auto before = seen_.find(path);
    const bool same = before != seen_.end() && before->second.counter == counter;
    const Clock::time_point since = same ? before->second.since : now;
    const bool ended = state_of(sign) != "running";
    if (now - since < (ended ? kEnded : kSilent)) {
      seen[path] = {counter, since};
    } else {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
    return true;
  });
  seen_ = std::move(seen);
}

}  // namespace koridor
