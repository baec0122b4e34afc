// The signs of life (core/base/heartbeat.h) of all processes that have theirs in one folder, as a run's workers do.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/files.h"
#include "core/base/heartbeat.h"

namespace koridor {

// Calls visit(path, sign) for every sign in the folder that can be read, by name, until that returns false.
template <class Visit>
void for_each_sign(const std::filesystem::path& folder, Visit&& visit) {
  std::error_code error;
  for (const std::string& name : names_in(folder, error)) {
    const std::filesystem::path path = folder / name;
    if (path.extension() != ".json") continue;
    const auto sign = read_heartbeat(path);
    if (sign && !visit(path, *sign)) return;
  }
}

}  // namespace koridor
