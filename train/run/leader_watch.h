// Who leads a run, by its sign of life (RunDirectory::leader()): it must be of the same build as who works for it, and
// long work for it is done beside a watch.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "train/run/run_directory.h"

namespace koridor {

// Whether the process with this sign of life is of another build than this one.
bool is_of_another_build(const nlohmann::json& leader);

// Throws UserError, which names both builds, where that is so; `what` works for the leader: "a worker".
void require_the_leaders_build(const RunDirectory& run, const nlohmann::json& leader, std::string_view what);

class LeaderWatch {
 public:
  // Whether the work has to end under the leader with this sign of life. A UserError means that it is asked again.
  using Ends = std::function<bool(const nlohmann::json& leader)>;

  // Reads the sign about once a second, in a thread of its own, which calls `ends`.
  LeaderWatch(std::filesystem::path sign, const std::atomic<bool>& stop, Ends ends);

  // Set once `stop` is, or the work has to end.
  const std::atomic<bool>& end() const { return end_; }

 private:
  void watch(const std::stop_token& over);

  std::filesystem::path sign_;
  const std::atomic<bool>& stop_;
  Ends ends_;
  std::atomic<bool> end_{false};
  std::jthread thread_;
};

}  // namespace koridor
