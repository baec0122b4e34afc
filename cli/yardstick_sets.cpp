#include "cli/yardstick_sets.h"

#include "cli/programs.h"
#include "core/solve/solver.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/set_file.h"

namespace koridor::cli {

std::optional<YardstickSet> installed_proven_set(const AnyGame& game, int positions) {
  const auto wanted = static_cast<std::size_t>(positions);
  const std::filesystem::path path = find_yardstick_set(yardsticks_folder(), name_of(game));
  if (path.empty()) return {};
  YardstickSet set = read_yardstick_set(path);
  if (!set.proven || set.seed != YardstickSet{}.seed || set.positions.size() < wanted) return {};
  set.positions.resize(wanted);
  return set;
}

YardstickSet proven_set(const AnyGame& game, int positions, const SolveLimits& limits) {
  if (auto installed = installed_proven_set(game, positions)) return std::move(*installed);
  return draw_proven_set(game, solve_game(game, limits), positions);
}

}  // namespace koridor::cli
