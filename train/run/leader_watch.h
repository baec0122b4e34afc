// Watches who leads a run, beside long work that is done for that leader.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

namespace koridor {

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
