#include "selfplay/generator/generator.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <variant>

#include "core/base/error.h"
#include "core/base/thread_time.h"
#include "core/base/threads.h"
#include "models/network/evaluation_batch.h"
#include "models/network/prediction_cache.h"
#include "selfplay/generator/game_slot.h"

namespace koridor {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t nanoseconds(Clock::duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// The thread that gives finished games to the sink and reports progress. The threads that play only exchange a full
// record for an empty one under its lock.
class Housekeeper {
 public:
  using Count = std::function<void(SelfplayStatistics&)>;

  Housekeeper(GameSink& sink, Failure& failure, std::uint64_t games_wanted, double tick_seconds, Count count)
      : sink_(sink),
        failure_(failure),
        count_(std::move(count)),
        tick_interval_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(tick_seconds))),
        started_(Clock::now()) {
    statistics_.games_wanted = games_wanted;
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error& error) {
      throw UserError(std::string("cannot start the thread that stores games: ") + error.what());
    }
  }
  ~Housekeeper() { close(); }

  std::unique_ptr<GameRecord> exchange(std::unique_ptr<GameRecord> finished) {
    const std::lock_guard lock(mutex_);
    finished_.push_back(std::move(finished));
    wake_.notify_one();
    if (empty_.empty()) return std::make_unique<GameRecord>();
    std::unique_ptr<GameRecord> record = std::move(empty_.back());
    empty_.pop_back();
    return record;
  }

  // Takes the remaining games, ticks a last time and ends; the statistics are then final.
  const SelfplayStatistics& close() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
    return statistics_;
  }

 private:
  // No exception may leave a thread: what a lack of memory does outside of the sink ends the games too.
  void work() {
    try {
      keep_house();
    } catch (...) {
      failure_.keep();
    }
  }

  void keep_house() {
    std::vector<std::unique_ptr<GameRecord>> games;
    Clock::time_point next_tick = started_ + tick_interval_;
    for (bool last = false; !last;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait_until(lock, next_tick, [this] { return closing_ || !finished_.empty(); });
        for (auto& game : games) empty_.push_back(std::move(game));
        games.clear();
        std::swap(games, finished_);
        last = closing_;
      }
      if (failure_.failed() && !sink_works_) continue;
      try {
        for (const auto& game : games) {
          sink_.take(*game);
          count_game(*game);
        }
        if (last || Clock::now() >= next_tick) {
          next_tick = Clock::now() + tick_interval_;
          statistics_.seconds = seconds(Clock::now() - started_);
          statistics_.ledger.writing = thread_seconds();
          count_(statistics_);
          sink_.tick(statistics_);
        }
      } catch (...) {
        sink_works_ = false;
        failure_.keep();
      }
    }
  }

  void count_game(const GameRecord& game) {
    statistics_.games += 1;
    statistics_.draws += std::ranges::max(game.outcome) < 1.0f ? 1 : 0;
    statistics_.finished_plies += game.plies();
    const std::size_t bucket = game.plies() / SelfplayStatistics::kBucketPlies;
    statistics_.lengths[std::min<std::size_t>(bucket, SelfplayStatistics::kLengthBuckets - 1)] += 1;
  }

  GameSink& sink_;
  Failure& failure_;
  Count count_;
  Clock::duration tick_interval_;
  Clock::time_point started_;
  SelfplayStatistics statistics_;
  bool sink_works_ = true;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool closing_ = false;
  std::vector<std::unique_ptr<GameRecord>> finished_;
  std::vector<std::unique_ptr<GameRecord>> empty_;
  std::thread thread_;
};

// What all threads of a generation share.
template <Game Base>
struct Shared {
  std::vector<Base> variants;
  const GeneratorOptions& options;
  const EvaluatorFactory& make_evaluator;
  GameSource& source;
  const std::atomic<bool>& stop;
  Failure& failure;
  Housekeeper& housekeeper;
  Clock::time_point began = Clock::now();
};

// A thread's own copies of the games: plain, or timed for the ledger.
template <Game G, Game Base>
std::vector<G> games_of_thread(const std::vector<Base>& variants, [[maybe_unused]] Stopwatch& watch) {
  if constexpr (std::is_same_v<G, Base>) {
    return variants;
  } else {
    std::vector<G> games;
    for (const Base& game : variants) games.emplace_back(game, watch);
    return games;
  }
}

// One thread's slots, in as many groups as its evaluator has tickets: while one group's positions are evaluated
// elsewhere, another plays. An evaluator that computes on the thread itself has one ticket. G is Base or
// TimedGame<Base>.
template <Game G, Game Base>
class PlayingThread {
 public:
  PlayingThread(Shared<Base>& shared, ThreadCounters& counters)
      : shared_(shared),
        counters_(counters),
        variants_(games_of_thread<G>(shared.variants, watch_)),
        evaluator_(
            shared.make_evaluator(variants_[0].encoding(shared.options.features), shared.options.selfplay.slots)),
        cache_(make_cache(evaluator_->shape(), shared.options.selfplay.evaluation.cache_mebibytes)) {
    const int slots = shared.options.selfplay.slots;
    const int groups = std::min(evaluator_->tickets(), slots);
    groups_.reserve(static_cast<std::size_t>(groups));
    for (int ticket = 0; ticket < groups; ++ticket) {
      groups_.emplace_back(*this, ticket, slots * (ticket + 1) / groups - slots * ticket / groups);
    }
    counters_.slot_bytes = groups_[0].slots[0].memory_bytes() + groups_[0].batch.row_bytes();
  }
  PlayingThread(const PlayingThread&) = delete;
  PlayingThread& operator=(const PlayingThread&) = delete;
  ~PlayingThread() {
    // Batches under way write into the groups' memory.
    for (Group& group : groups_) {
      try {
        group.batch.wait();
      } catch (...) {
        shared_.failure.keep();
      }
    }
  }

  void play() {
    counters_.ledger.starting = seconds(Clock::now() - shared_.began);
    std::size_t without_games = 0;
    for (std::size_t turn = 0;; turn = (turn + 1) % groups_.size()) {
      without_games = take_turn(groups_[turn]) ? 0 : without_games + 1;
      if (shared_.stop.load(std::memory_order_relaxed) || shared_.failure.failed()) break;
      if (without_games < groups_.size()) continue;
      if (shared_.source.over()) break;
      shared_.source.wait();
    }
    finish_ledger();
  }

 private:
  struct Group {
    Group(PlayingThread& thread, int ticket, int size)
        : batch(thread.variants_, thread.shared_.options.features, thread.evaluator_, thread.cache_, size, ticket) {
      const GeneratorOptions& options = thread.shared_.options;
      slots.reserve(static_cast<std::size_t>(size));
      for (int i = 0; i < size; ++i) {
        slots.emplace_back(thread.variants_[0], options.selfplay, options.search, thread.counts_);
      }
      waiting.reserve(static_cast<std::size_t>(size));
    }

    EvaluationBatch<G> batch;
    std::vector<GameSlot<G>> slots;
    std::vector<GameSlot<G>*> waiting;  // row i of the batch is for waiting[i]
  };

  void finish_ledger() {
    counters_.ended = Clock::now();
    if constexpr (!std::is_same_v<G, Base>) {
      counters_.ledger.network = 1e-9 * static_cast<double>(counters_.network_nanoseconds.load());
      counters_.ledger.add(watch_.share_out(1e-9 * static_cast<double>(counters_.other_nanoseconds.load())));
    }
  }

  // A round of the watch is the part of a turn that other_nanoseconds counts.
  void begin_round() {
    if constexpr (!std::is_same_v<G, Base>) watch_.begin_round();
  }
  void end_round() {
    if constexpr (!std::is_same_v<G, Base>) watch_.end_round();
  }

  // Takes the results that the group waits for, plays on in every slot and submits the positions wanted next. Returns
  // false when there are none: it has no games now.
  bool take_turn(Group& group) {
    const Clock::time_point begin = Clock::now();
    if (!group.waiting.empty()) group.batch.wait();
    const Clock::time_point supplied = Clock::now();
    begin_round();
    group.batch.remember();
    for (int row = 0; row < static_cast<int>(group.waiting.size()); ++row) {
      group.waiting[static_cast<std::size_t>(row)]->supply(group.batch.prediction(row));
    }
    gather(group);
    end_round();
    const Clock::time_point gathered = Clock::now();
    if (!group.waiting.empty()) group.batch.submit();
    count(group, gathered - supplied, (supplied - begin) + (Clock::now() - gathered));
    return !group.waiting.empty();
  }

  // Every slot plays on until it wants an evaluation; the wanted positions become the batch.
  void gather(Group& group) {
    group.waiting.clear();
    group.batch.clear();
    for (GameSlot<G>& slot : group.slots) {
      if (!wants_evaluation(slot)) continue;
      group.batch.add(slot.leaf(), slot.variant());
      group.waiting.push_back(&slot);
    }
  }

  // Returns false when there is no game for the slot now.
  bool wants_evaluation(GameSlot<G>& slot) {
    for (;;) {
      if (slot.playing()) {
        if (slot.advance()) return true;
        slot.give_record(shared_.housekeeper.exchange(slot.take_record()));
      }
      if (!start_next(slot)) return false;
    }
  }

  bool start_next(GameSlot<G>& slot) {
    const std::optional<std::uint32_t> number = shared_.source.next();
    if (!number) return false;
    const GeneratorOptions& options = shared_.options;
    Random random = Random::for_game(options.seed, static_cast<std::uint64_t>(options.generation), *number);
    const bool repetition = random.chance(options.selfplay.repetition_share) && variants_.size() > 1;
    slot.start(variants_[repetition ? 1 : 0], repetition ? 1 : 0, *number, random);
    return true;
  }

  void count(const Group& group, Clock::duration other, Clock::duration network) {
    counters_.plies.store(counts_.plies, std::memory_order_relaxed);
    counters_.full_plies.store(counts_.full, std::memory_order_relaxed);
    counters_.searched_plies.store(counts_.searched, std::memory_order_relaxed);
    counters_.simulations.store(counts_.simulations, std::memory_order_relaxed);
    ThreadCounters::add(counters_.evaluations, group.waiting.size());
    if (cache_) counters_.cache_hits.store(cache_->hits(), std::memory_order_relaxed);
    ThreadCounters::add(counters_.batches, group.waiting.empty() ? 0 : 1);
    ThreadCounters::add(counters_.other_nanoseconds, nanoseconds(other));
    ThreadCounters::add(counters_.network_nanoseconds, nanoseconds(network));
  }

  Shared<Base>& shared_;
  ThreadCounters& counters_;
  Stopwatch watch_;
  std::vector<G> variants_;
  std::shared_ptr<Evaluator> evaluator_;
  std::shared_ptr<PredictionCache> cache_;  // null where nothing is cached
  PlyCounts counts_;
  std::vector<Group> groups_;
};

void sum_up(const std::vector<ThreadCounters>& counters, SelfplayStatistics& statistics) {
  statistics.plies = statistics.full_plies = statistics.searched_plies = statistics.simulations = 0;
  statistics.evaluations = 0;
  statistics.cache_hits = statistics.batches = 0;
  std::uint64_t network = 0;
  std::uint64_t other = 0;
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
  }
  statistics.network_seconds = 1e-9 * static_cast<double>(network);
  statistics.other_seconds = 1e-9 * static_cast<double>(other);
}

// To be called after the threads have ended.
void sum_up_ledger(const std::vector<ThreadCounters>& counters, SelfplayStatistics& statistics) {
  Ledger& sum = statistics.ledger;
  Clock::time_point last{};
  for (const ThreadCounters& counter : counters) last = std::max(last, counter.ended);
  for (const ThreadCounters& counter : counters) {
    sum.network += counter.ledger.network;
    sum.rules += counter.ledger.rules;
    sum.tree += counter.ledger.tree;
    sum.encoding += counter.ledger.encoding;
    sum.cache += counter.ledger.cache;
    sum.starting += counter.ledger.starting;
    sum.waiting += seconds(last - counter.ended);
  }
  statistics.slot_bytes = counters[0].slot_bytes;
}

// G is Base or TimedGame<Base>.
template <Game G, Game Base>
SelfplayStatistics generate(const std::vector<AnyGame>& any_variants, const GeneratorOptions& options,
                            const EvaluatorFactory& make_evaluator, GameSource& source, GameSink& sink,
                            const std::atomic<bool>& stop) {
  Failure failure;
  std::vector<ThreadCounters> counters(static_cast<std::size_t>(thread_count(options.threads)));
  Housekeeper housekeeper(sink, failure, source.games(), options.tick_seconds,
                          [&](SelfplayStatistics& statistics) { sum_up(counters, statistics); });
  Shared<Base> shared{{}, options, make_evaluator, source, stop, failure, housekeeper};
  for (const AnyGame& any : any_variants) shared.variants.push_back(std::get<Base>(any));
  on_all_threads(options.threads, failure, [&](int thread) {
    PlayingThread<G, Base>(shared, counters[static_cast<std::size_t>(thread)]).play();
  });
  SelfplayStatistics statistics = housekeeper.close();
  failure.rethrow();
  sum_up_ledger(counters, statistics);
  return statistics;
}

}  // namespace

std::vector<AnyGame> game_variants(const AnyGame& game, double repetition_share) {
  std::vector<AnyGame> variants{game};
  if (repetition_share > 0) {
    const std::string name = std::visit([](const auto& concrete) { return concrete.name(); }, game);
    const std::vector<std::string> threefold{"repetition=3"};
    variants.push_back(parse_game(name, threefold));
  }
  return variants;
}

SelfplayStatistics generate_games(const AnyGame& game, const GeneratorOptions& options,
                                  const EvaluatorFactory& make_evaluator, GameSource& source, GameSink& sink,
                                  const std::atomic<bool>& stop) {
  if (options.selfplay.slots < 1) throw std::invalid_argument("generate_games: slots must be at least 1");
  const std::vector<AnyGame> variants = game_variants(game, options.selfplay.repetition_share);
  return std::visit(
      [&]<Game G>(const G&) {
        return options.ledger ? generate<TimedGame<G>, G>(variants, options, make_evaluator, source, sink, stop)
                              : generate<G, G>(variants, options, make_evaluator, source, sink, stop);
      },
      game);
}

SelfplayStatistics generate_games(const AnyGame& game, const GeneratorOptions& options,
                                  const EvaluatorFactory& make_evaluator, std::span<const std::uint32_t> numbers,
                                  GameSink& sink, const std::atomic<bool>& stop) {
  ListedGames source(numbers);
  return generate_games(game, options, make_evaluator, source, sink, stop);
}

}  // namespace koridor
