#include "selfplay/matches/yardstick/target_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "selfplay/matches/yardstick/phases.h"

namespace koridor {

TargetTruth::TargetTruth(const AnyGame& game, AnySolver solver) : game_(game), solver_(std::move(solver)) {}

void TargetTruth::add(const ShardData& shard) {
  std::visit(
      [&]<Game G>(const G& game) {
        const auto& solver = *std::get<std::shared_ptr<const Solver<G>>>(solver_);
        const auto players = static_cast<std::size_t>(shard.info.players);
        std::vector<Action> actions;
        for (std::size_t number = 0; number < shard.games(); ++number) {
          Position<G> position(game);
          actions.clear();
          const std::size_t first = shard.game_first_ply[number];
          for (std::size_t row = first; row < first + shard.game_plies[number]; ++row) {
            const auto illegal = [&] {
              return UserError(fmt::format("ply {} of game {} is not legal; see --verify", row - first + 1,
                                           shard.game_number[number]));
            };
            const Action played{shard.ply_action[row]};
            if (game.outcome(position.state, position.history).over()) throw illegal();
            const Solution solution = solver.solution(position);
            const auto solved = std::ranges::find(solution.actions, played, &SolvedAction::action);
            if (solved == solution.actions.end()) throw illegal();
            const auto mover = static_cast<std::size_t>(game.player_to_move(position.state));
            const auto kind = shard.kind(row);
            if (is_searched(kind)) {
              positions_.push_back({.actions = actions, .value = 0, .known = {}});
              judged_.push_back({kind, solved->value < solution.value, points_of(solution.value),
                                 shard.game_outcome[number * players + mover], shard.ply_value[row * players + mover]});
            }
            actions.push_back(played);
            position.apply(game, played);
          }
        }
      },
      game_);
}

TargetFigures TargetTruth::figures_of(const std::string& phase, const std::vector<std::size_t>& which) const {
  TargetFigures figures{.phase = phase};
  double result_squares = 0;
  double value_squares = 0;
  double products = 0;
  for (const std::size_t i : which) {
    const Judged& one = judged_[i];
    PlayedCount& played = one.kind == PlyKind::full ? figures.full : figures.cheap;
    ++played.plies;
    played.thrown += one.thrown ? 1 : 0;
    if (one.kind != PlyKind::full) continue;
    figures.right += one.result == one.proven ? 1 : 0;
    const double result_error = one.result - one.proven;
    const double value_error = one.value - one.proven;
    result_squares += result_error * result_error;
    value_squares += value_error * value_error;
    products += result_error * value_error;
  }
  const int positions = figures.positions();
  if (positions == 0) return figures;
  // The mean square of (1 - s) * result_error + s * value_error is least at this s, within [0, 1].
  const double curvature = result_squares + value_squares - 2 * products;
  const double share = curvature > 0 ? std::clamp((result_squares - products) / curvature, 0.0, 1.0) : 0.0;
  figures.best_share = share;
  figures.result_brier = result_squares / positions;
  figures.value_brier = value_squares / positions;
  figures.mixture_brier =
      (result_squares - 2 * share * (result_squares - products) + share * share * curvature) / positions;
  return figures;
}

std::vector<TargetFigures> TargetTruth::figures() const {
  std::vector<TargetFigures> all;
  for (const Phase& phase : phases_of(game_, positions_)) all.push_back(figures_of(phase.name, phase.positions));
  std::vector<std::size_t> every(judged_.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  all.push_back(figures_of("all", every));
  return all;
}

}  // namespace koridor
