#include "core/base/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();

// Cores; infinite where the group's folder says none, as in "max" and -1.
double quota_of(const fs::path& group) {
  double quota = 0, period = 0;
  if (std::ifstream(group / "cpu.max") >> quota >> period && period > 0) return quota / period;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : kNone;
}

// The least of the group at `path` ("/a/b") and those above it.
double least_quota(const fs::path& root, fs::path path) {
  double least = quota_of(root);
  for (; path.has_relative_path(); path = path.parent_path()) {
    least = std::min(least, quota_of(root / path.relative_path()));
  }
  return least;
}

}  // namespace

int cpu_quota(const fs::path& groups, const fs::path& root) {
  double least = kNone;
  std::ifstream list(groups);
  // "0::/system.slice/a.service" in version 2, "4:cpu,cpuacct:/a" in version 1.
  for (std::string line; std::getline(list, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_quota(root, path));
    if (controllers.find(",cpu,") != std::string::npos) least = std::min(least, least_quota(root / "cpu", path));
  }
  return least < std::numeric_limits<int>::max() ? static_cast<int>(std::ceil(least)) : 0;
}

}  // namespace koridor
