// The workers that have joined a run, by their signs of life, as the process that leads the run sees them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>

#include "train/run/run_directory.h"

namespace koridor {

class JoinedWorkers {
 public:
  using Clock = std::chrono::steady_clock;

  explicit JoinedWorkers(const RunDirectory& run) : run_(run) {}

  // What self-play said of its speed, `status`, where only the process that leads the run played the generation. Where
  // joined workers had a part in it, their games by `seconds` are the speed, since each has played for another part of
  // them: then only "played_seconds", from which RunFigures makes it.
  nlohmann::json speeds(const nlohmann::json& status, int generation, double seconds) const;

  // Removes the signs of those that ended some time ago, and of those that have been silent for very long: they would
  // be read by everybody who looks at the workers. Looks once a minute at most. Errors do not matter.
  void tidy(Clock::time_point now = Clock::now());

 private:
  struct Seen {
    std::uint64_t counter = 0;
    Clock::time_point since{};
  };

  RunDirectory run_;
  std::map<std::filesystem::path, Seen> seen_;
  Clock::time_point looked_{};
};

}  // namespace koridor
