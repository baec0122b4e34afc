#include "selfplay/matches/yardstick.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/base/threads.h"
#include "selfplay/matches/slots.h"
#include "selfplay/matches/yardstick_slot.h"

namespace koridor {
namespace {

// The stream of random numbers that positions are drawn from; yardstick_slot.h has the other.
constexpr std::uint64_t kPositionStream = 1;

template <Game G>
std::vector<YardstickPosition> sample(const G& game, const Solver<G>& solver, int count, std::uint64_t seed) {
  constexpr int kVainGames = 1000;  // so many in a row without a new position end the search
  std::vector<YardstickPosition> positions;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Action> actions;
  for (int number = 0, vain = 0; vain < kVainGames; ++number) {
    Random random = Random::for_game(seed, kPositionStream, static_cast<std::uint64_t>(number));
    Position<G> position(game);
    actions.clear();
    ++vain;
    while (!game.outcome(position.state, position.history).over()) {
      const Solution solution = solver.solution(position);
      YardstickPosition sampled{actions, {}, static_cast<int>(solution.actions.size())};
      for (const SolvedAction& solved : solution.actions) {
        if (solved.value == solution.value) sampled.keeping.set(solved.action);
      }
      if (sampled.keeping.count() < sampled.legal && seen.insert(game.repetition_key(position.state)).second) {
        positions.push_back(sampled);
        vain = 0;
        if (static_cast<int>(positions.size()) == count) return positions;
      }
      const auto any = [&random](auto size) { return static_cast<std::size_t>(random.below(static_cast<int>(size))); };
      const Action action = random.chance(0.5) ? solution.best[any(solution.best.size())]
                                               : solution.actions[any(solution.actions.size())].action;
      actions.push_back(action);
      position.apply(game, action);
    }
  }
  return positions;
}

}  // namespace

std::vector<YardstickPosition> yardstick_positions(const AnyGame& any, const AnySolver& solver, int count,
                                                   std::uint64_t seed) {
  return std::visit(
      [&]<Game G>(const G& game) {
        return sample(game, *std::get<std::shared_ptr<const Solver<G>>>(solver), count, seed);
      },
      any);
}

double random_share(std::span<const YardstickPosition> positions) {
  double sum = 0;
  for (const YardstickPosition& position : positions)
    sum += static_cast<double>(position.keeping.count()) / position.legal;
  return positions.empty() ? 0 : sum / static_cast<double>(positions.size());
}

int count_kept(const AnyGame& any, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop) {
  YardstickTable table{.positions = positions, .options = options, .players = player.prepare(any, stop)};
  const int rows = std::clamp(static_cast<int>(positions.size()), 1, options.batch.rows);
  const EvaluatorFactory evaluators = make_player_evaluators(player, options.batch, thread_count(options.threads));
  Failure failure;
  std::visit(
      [&]<Game G>(const G& game) {
        on_all_threads(options.threads, failure, [&](int) {
          typename SlotDriver<G, YardstickSlot<G>>::BatchMakers batches;
          batches.push_back([&] { return make_player_batch(game, player, evaluators, options.batch); });
          std::vector<std::unique_ptr<YardstickSlot<G>>> slots;
          for (int i = 0; i < rows; ++i) slots.push_back(std::make_unique<YardstickSlot<G>>(game, table));
          SlotDriver<G, YardstickSlot<G>> driver(std::move(batches), std::move(slots));
          driver.run([&] { return !stop.load(std::memory_order_relaxed) && !failure.failed(); });
        });
      },
      any);
  failure.rethrow();
  return table.kept;
}

}  // namespace koridor
