#include "selfplay/matches/match.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/threads.h"
#include "selfplay/matches/match_slot.h"
#include "selfplay/matches/player_batch.h"
#include "selfplay/matches/scoreboard.h"

namespace koridor {

SeatScore MatchResult::total() const {
  SeatScore sum;
  for (const SeatScore& seat : by_seat) {
    sum.games += seat.games;
    sum.wins += seat.wins;
    sum.draws += seat.draws;
    sum.losses += seat.losses;
  }
  return sum;
}

MatchResult play_match(const AnyGame& any, const MatchPlayer& a, const MatchPlayer& b, const MatchOptions& options,
                       const std::atomic<bool>& stop) {
  return std::visit(
      [&]<Game G>(const G& game) {
        const int group = options.seat >= 0 ? 1 : game.players();
        const int games = (options.games + group - 1) / group * group;
        // At most as many slots as there are games per thread.
        // Where time counts, a thread plays one game at a time and has a core of its own.
        const bool timed = !options.clock.none() || a.timed || b.timed;
        const int slots = timed ? 1 : std::clamp(options.slots, 1, std::max(games, 1));
        const int threads =
            timed ? std::min(thread_count(options.threads), thread_count(0)) : thread_count(options.threads);
        const PlayerBatchOptions batches{.evaluation = options.evaluation, .rows = options.slots};
        Scoreboard scoreboard(options, games);
        MatchTable table{.options = options,
                         .players = {a.prepare(any, stop), b.prepare(any, stop)},
                         .games = games,
                         .group = group,
                         .scoreboard = scoreboard};
        const EvaluatorFactory evaluators_of_a = make_player_evaluators(a, batches, threads);
        const EvaluatorFactory evaluators_of_b = make_player_evaluators(b, batches, threads);
        Failure failure;
        on_all_threads(threads, failure, [&](int) {
          typename SlotDriver<G, MatchSlot<G>>::Batches sides;
          sides.push_back(make_player_batch(game, a, evaluators_of_a, batches));
          sides.push_back(make_player_batch(game, b, evaluators_of_b, batches));
          std::vector<std::unique_ptr<MatchSlot<G>>> driven;
          for (int i = 0; i < slots; ++i) driven.push_back(std::make_unique<MatchSlot<G>>(game, table));
          SlotDriver<G, MatchSlot<G>> driver(std::move(sides), std::move(driven));
          driver.run([&] { return !stop.load(std::memory_order_relaxed) && !failure.failed(); });
        });
        failure.rethrow();
        return scoreboard.result();
      },
      any);
}

}  // namespace koridor
