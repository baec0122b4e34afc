#include "selfplay/generator/generator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

#include "core/base/elapsed.h"
#include "core/base/failure.h"
#include "core/base/threads.h"
#include "core/timed_game.h"
#include "selfplay/generator/housekeeper.h"
#include "selfplay/generator/model_in_play.h"
#include "selfplay/generator/model_watch.h"
#include "selfplay/generator/playing_thread.h"

namespace koridor {
namespace {

void sum_up(const std::vector<ThreadCounters>& counters, SelfplayStatistics& statistics) {
  statistics.plies = statistics.full_plies = statistics.searched_plies = statistics.simulations = 0;
  statistics.evaluations = 0;
  statistics.cache_hits = statistics.batches = 0;
  std::uint64_t network = 0;
  std::uint64_t other = 0;
  std::uint64_t waiting = 0;
  for (const ThreadCounters& counter : counters) {
    statistics.plies += counter.plies.load(std::memory_order_relaxed);
    statistics.full_plies += counter.full_plies.load(std::memory_order_relaxed);
    statistics.searched_plies += counter.searched_plies.load(std::memory_order_relaxed);
    statistics.simulations += counter.simulations.load(std::memory_order_relaxed);
    statistics.evaluations += counter.evaluations.load(std::memory_order_relaxed);
    statistics.cache_hits += counter.cache_hits.load(std::memory_order_relaxed);
    statistics.batches += counter.batches.load(std::memory_order_relaxed);
    network += counter.network_nanoseconds.load(std::memory_order_relaxed);
    other += counter.other_nanoseconds.load(std::memory_order_relaxed);
    waiting += counter.waiting_nanoseconds.load(std::memory_order_relaxed);
  }
  statistics.network_seconds = 1e-9 * static_cast<double>(network);
  statistics.other_seconds = 1e-9 * static_cast<double>(other);
  statistics.waiting_seconds = 1e-9 * static_cast<double>(waiting);
}

// To be called after the threads have ended.
void sum_up_ledger(const std::vector<ThreadCounters>& counters, SelfplayStatistics& statistics) {
  Ledger& sum = statistics.ledger;
  std::chrono::steady_clock::time_point last{};
  for (const ThreadCounters& counter : counters) last = std::max(last, counter.ended);
  for (const ThreadCounters& counter : counters) {
    sum.network += counter.ledger.network;
    sum.rules += counter.ledger.rules;
    sum.tree += counter.ledger.tree;
    sum.encoding += counter.ledger.encoding;
    sum.cache += counter.ledger.cache;
    sum.starting += counter.ledger.starting;
    sum.waiting += seconds_of(last - counter.ended);
  }
  statistics.slot_bytes = counters[0].slot_bytes;
}

// G is Base or TimedGame<Base>.
template <Game G, Game Base>
SelfplayStatistics generate(const GameMaking& making, GameSource& source, GameSink& sink, const std::atomic<bool>& stop,
                            [[maybe_unused]] ModelSource* newer) {
  const GeneratorOptions& options = making.options;
  Failure failure;
  std::vector<ThreadCounters> counters(static_cast<std::size_t>(thread_count(options.threads)));
  std::vector<Handover<G>> handovers(counters.size());
  Housekeeper housekeeper(sink, failure, source.games(), options.tick_seconds,
                          [&](SelfplayStatistics& statistics) { sum_up(counters, statistics); });
  Shared<Base> shared{{}, options, making.make_evaluator, source, stop, failure, housekeeper};
  for (const AnyGame& any : game_variants(making.game, options.selfplay.repetition_share)) {
    shared.variants.push_back(std::get<Base>(any));
  }
  {
    std::optional<ModelWatch<G>> watch;
    if constexpr (std::is_same_v<G, Base>) {
      if (newer) {
        using Task = typename ModelWatch<G>::Task;
        watch.emplace(Task{shared.variants, shared.first_model(), options, *newer, handovers}, failure);
      }
    }
    on_all_threads(options.threads, failure, [&](int thread) {
      const auto own = static_cast<std::size_t>(thread);
      PlayingThread<G, Base>(shared, counters[own], handovers[own]).play();
    });
  }
  SelfplayStatistics statistics = housekeeper.close();
  failure.rethrow();
  sum_up_ledger(counters, statistics);
  return statistics;
}

}  // namespace

std::vector<AnyGame> game_variants(const AnyGame& game, double repetition_share) {
  std::vector<AnyGame> variants{game};
  if (repetition_share > 0) {
    const std::string name = name_of(game);
    const std::vector<std::string> threefold{"repetition=3"};
    variants.push_back(parse_game(name, threefold));
  }
  return variants;
}

SelfplayStatistics generate_games(const GameMaking& making, GameSource& source, GameSink& sink,
                                  const std::atomic<bool>& stop, ModelSource* newer) {
  const GeneratorOptions& options = making.options;
  if (options.selfplay.slots < 1) throw std::invalid_argument("generate_games: slots must be at least 1");
  if (options.ledger && newer) throw std::invalid_argument("generate_games: a ledger is of one model");
  return std::visit(
      [&]<Game G>(const G&) {
        return options.ledger ? generate<TimedGame<G>, G>(making, source, sink, stop, newer)
                              : generate<G, G>(making, source, sink, stop, newer);
      },
      making.game);
}

SelfplayStatistics generate_games(const GameMaking& making, std::span<const std::uint32_t> numbers, GameSink& sink,
                                  const std::atomic<bool>& stop) {
  ListedGames source(numbers, static_cast<std::uint32_t>(making.options.generation));
  return generate_games(making, source, sink, stop);
}

}  // namespace koridor
