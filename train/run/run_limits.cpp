#include "train/run/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/shell.h"

namespace koridor {

double RunLimit::next() const {
  return 2 * value > done ? 2 * value : std::ceil(2 * done);
}

std::vector<RunLimit> reached_limits(const RunConfig& config, const RunExtent& extent) {
  std::vector<RunLimit> limits;
  if (extent.generations >= config.generations) {
    limits.push_back(
        {"run.generations", static_cast<double>(config.generations), static_cast<double>(extent.generations)});
  }
  if (config.max_minutes > 0 && extent.minutes >= config.max_minutes) {
    limits.push_back({"run.max_minutes", config.max_minutes, extent.minutes});
  }
  if (config.max_cost > 0) {
    const double cost = extent.cost.value_or(limits.empty() ? config.max_cost : 0);
    if (cost >= config.max_cost) limits.push_back({"run.max_cost", config.max_cost, cost});
  }
  return limits;
}

std::string command_beyond(std::string command, const std::vector<std::string>& settings,
                           const std::vector<RunLimit>& limits) {
  for (const std::string& setting : settings) {
    const bool other =
        std::ranges::none_of(limits, [&](const RunLimit& limit) { return setting.starts_with(limit.key + "="); });
    if (other) command += " --set " + shell_word(setting);
  }
  for (const RunLimit& limit : limits) command += fmt::format(" --set {}={}", limit.key, limit.next());
  return command;
}

}  // namespace koridor
