#include "core/solve/solution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"

namespace koridor {

std::string not_two_players(const std::string& game, int players) {
  return fmt::format(
      "{} has {} players; only games of two players can be solved: with more, a position's value depends on whom the "
      "others choose to hinder",
      game, players);
}

SolveStopped::SolveStopped(const std::string& game, std::string reached)
    : Stopped(fmt::format("stopped before {} was solved", game)), reached_(std::move(reached)) {}

void choose_best(Solution& solution) {
  const auto rank = [](const SolvedAction& action) {
    return static_cast<int>(action.value) * (1'000'000 - action.distance);
  };
  const auto& best = *std::ranges::max_element(solution.actions, {}, rank);
  solution.value = best.value;
  solution.distance = best.distance;
  solution.best.clear();
  for (const SolvedAction& action : solution.actions) {
    if (rank(action) == rank(best)) solution.best.push_back(action.action);
  }
}

std::string SolveReport::summary(int max_plies) const {
  std::string text = "by " + counted(static_cast<std::int64_t>(positions), "position");
  if (configurations > 0) {
    text += fmt::format(" over {} of walls (up to symmetry)",
                        counted(static_cast<std::int64_t>(configurations), "arrangement"));
  }
  if (longest == 0) return text;
  text += fmt::format("; longest forced win {}, ", counted(longest, "ply", "plies"));
  text += longest <= max_plies ? fmt::format("within the cap of {}", max_plies)
                               : fmt::format("drawn where the cap of {} comes first", max_plies);
  text +=
      drawn == 0 ? "; somebody can force a win in each" : fmt::format("; {} in which nobody can force a win", drawn);
  return text;
}

}  // namespace koridor
