// The signs of life (core/base/heartbeat.h) of all processes that have theirs in one folder, as a run's workers do.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/files.h"
#include "core/base/heartbeat.h"

namespace koridor {

// Calls visit(path, sign) for those of the named files in the folder that are signs and can be read, in this order,
// until it returns false.
template <class Visit>
void for_each_sign(const std::filesystem::path& folder, const std::vector<std::string>& names, Visit&& visit) {
  for (const std::string& name : names) {
    const std::filesystem::path path = folder / name;
    if (path.extension() != ".json") continue;
    const auto sign = read_heartbeat(path);
    if (sign && !visit(path, *sign)) return;
  }
}

// The same for every file in the folder, by name; for none where the folder cannot be read.
template <class Visit>
void for_each_sign(const std::filesystem::path& folder, Visit&& visit) {
  std::error_code ignored;
  for_each_sign(folder, names_in(folder, ignored), visit);
}

}  // namespace koridor
