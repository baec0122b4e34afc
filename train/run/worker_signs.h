// The signs of life of a run's workers and trainers (RunDirectory::workers(), trainers(); core/base/heartbeat.h).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/heartbeat.h"

namespace koridor {

// Calls visit(path, sign) for every sign in the folder that can be read, in no order, until that returns false.
template <class Visit>
void for_each_sign(const std::filesystem::path& folder, Visit&& visit) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".json") continue;
    const auto sign = read_heartbeat(at->path());
    if (sign && !visit(at->path(), *sign)) return;
  }
}

}  // namespace koridor
