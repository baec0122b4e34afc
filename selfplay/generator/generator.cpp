#include "selfplay/generator/generator.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
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

// What all threads share.
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

  std::uint32_t first_model() const {
    return static_cast<std::uint32_t>(options.model >= 0 ? options.model : options.generation);
  }
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

// What a thread plays with while it plays with one model: an evaluator, a cache, and a batch for each group of slots.
template <Game G>
struct ModelInPlay {
  struct Group {
    EvaluationBatch<G> batch;
    std::vector<GameSlot<G>*> waiting;  // row i of the batch is for waiting[i]
  };

  ModelInPlay(std::uint32_t number_, std::vector<G> games_, const GeneratorOptions& options,
              const EvaluatorFactory& make_evaluator)
      : number(number_),
        games(std::move(games_)),
        evaluator(make_evaluator(games[0].encoding(options.features), options.selfplay.slots)),
        cache(make_cache(evaluator->shape(), options.selfplay.evaluation.cache_mebibytes)) {
    const int slots = options.selfplay.slots;
    const int count = std::min(evaluator->tickets(), slots);
    groups.reserve(static_cast<std::size_t>(count));
    for (int ticket = 0; ticket < count; ++ticket) {
      const int size = slots * (ticket + 1) / count - slots * ticket / count;
      groups.push_back({EvaluationBatch<G>(games, options.features, evaluator, cache, size, ticket), {}});
      groups.back().waiting.reserve(static_cast<std::size_t>(size));
      sizes.push_back(size);
    }
  }
  ModelInPlay(const ModelInPlay&) = delete;
  ModelInPlay& operator=(const ModelInPlay&) = delete;

  const std::uint32_t number;
  const std::vector<G> games;
  const std::shared_ptr<Evaluator> evaluator;
  const std::shared_ptr<PredictionCache> cache;  // null where nothing is cached
  std::vector<Group> groups;
  std::vector<int> sizes;     // slots by group
  std::size_t in_flight = 0;  // games that were begun with it and are not over
};

// Where a thread is handed a newer model, and leaves the one that it needs no more.
template <Game G>
class Handover {
 public:
  Handover() = default;
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  ~Handover() {
    delete fresh_.load();
    delete old_.load();
  }

  // Of the thread that prepares models. One that was not fetched yet is replaced.
  void offer(std::unique_ptr<ModelInPlay<G>> model) { delete fresh_.exchange(model.release()); }
  void clear_away() { delete old_.exchange(nullptr); }

  // Of the thread that plays.
  bool has_fresh() const { return fresh_.load(std::memory_order_relaxed) != nullptr; }
  std::unique_ptr<ModelInPlay<G>> fetch() { return std::unique_ptr<ModelInPlay<G>>(fresh_.exchange(nullptr)); }
  void leave(std::unique_ptr<ModelInPlay<G>> model) { delete old_.exchange(model.release()); }

 private:
  std::atomic<ModelInPlay<G>*> fresh_{nullptr};
  std::atomic<ModelInPlay<G>*> old_{nullptr};
};

// One thread's slots, in as many groups as its evaluator has tickets: while one group's positions are evaluated
// elsewhere, another plays. An evaluator that computes on the thread itself has one ticket. G is Base or
// TimedGame<Base>.
template <Game G, Game Base>
class PlayingThread {
 public:
  PlayingThread(Shared<Base>& shared, ThreadCounters& counters, Handover<G>& handover)
      : shared_(shared),
        counters_(counters),
        handover_(handover),
        variants_(games_of_thread<G>(shared.variants, watch_)),
        newest_(std::make_unique<ModelInPlay<G>>(shared.first_model(), games_of_thread<G>(shared.variants, watch_),
                                                 shared.options, shared.make_evaluator)) {
    groups_.reserve(newest_->sizes.size());
    for (const int size : newest_->sizes) groups_.emplace_back(*this, size);
    counters_.slot_bytes = groups_[0].places[0].slot.memory_bytes() + newest_->groups[0].batch.row_bytes();
  }
  PlayingThread(const PlayingThread&) = delete;
  PlayingThread& operator=(const PlayingThread&) = delete;
  ~PlayingThread() {
    // Batches under way write into the groups' memory.
    for_each_model([&](ModelInPlay<G>& model) {
      for (auto& group : model.groups) {
        try {
          group.batch.wait();
        } catch (...) {
          shared_.failure.keep();
        }
      }
    });
  }

  void play() {
    counters_.ledger.starting = seconds(Clock::now() - shared_.began);
    std::size_t without_games = 0;
    for (std::size_t turn = 0;; turn = (turn + 1) % groups_.size()) {
      if (handover_.has_fresh()) take_newer_model();
      without_games = take_turn(turn) ? 0 : without_games + 1;
      if (shared_.stop.load(std::memory_order_relaxed) || shared_.failure.failed()) break;
      if (without_games < groups_.size()) continue;
      if (shared_.source.over()) break;
      const Clock::time_point begin = Clock::now();
      shared_.source.wait();
      ThreadCounters::add(counters_.waiting_nanoseconds, nanoseconds(Clock::now() - begin));
    }
    finish_ledger();
  }

 private:
  struct Place {
    Place(const G& game, const GeneratorOptions& options, PlyCounts& counts)
        : slot(game, options.selfplay, options.search, counts) {}

    GameSlot<G> slot;
    ModelInPlay<G>* model = nullptr;  // of the game that is being played
  };
  struct Group {
    Group(PlayingThread& thread, int size) {
      places.reserve(static_cast<std::size_t>(size));
      for (int i = 0; i < size; ++i) {
        places.emplace_back(thread.variants_[0], thread.shared_.options, thread.counts_);
      }
    }

    std::vector<Place> places;
  };

  template <class Visit>
  void for_each_model(const Visit& visit) {
    visit(*newest_);
    if (older_) visit(*older_);
  }

  // A third model waits until the games of the oldest are over.
  void take_newer_model() {
    if (older_ && older_->in_flight > 0) return;
    std::unique_ptr<ModelInPlay<G>> fresh = handover_.fetch();
    if (!fresh) return;
    if (older_) leave_older_model();
    older_ = std::exchange(newest_, std::move(fresh));
  }

  void leave_older_model() {
    if (older_->cache) past_cache_hits_ += older_->cache->hits();
    handover_.leave(std::move(older_));
  }

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
  bool take_turn(std::size_t turn) {
    const Clock::time_point begin = Clock::now();
    for_each_model([&](ModelInPlay<G>& model) {
      if (!model.groups[turn].waiting.empty()) model.groups[turn].batch.wait();
    });
    const Clock::time_point supplied = Clock::now();
    begin_round();
    for_each_model([&](ModelInPlay<G>& model) { supply(model.groups[turn]); });
    gather(turn);
    end_round();
    const Clock::time_point gathered = Clock::now();
    std::size_t rows = 0;
    std::size_t batches = 0;
    for_each_model([&](ModelInPlay<G>& model) {
      typename ModelInPlay<G>::Group& group = model.groups[turn];
      if (group.waiting.empty()) return;
      submit(group);
      rows += group.waiting.size();
      ++batches;
    });
    if (older_ && older_->in_flight == 0) leave_older_model();
    count(rows, batches, gathered - supplied, (supplied - begin) + (Clock::now() - gathered));
    return rows > 0;
  }

  // With two models in flight, a thread that waited for a place of one while it holds places of the other could be what
  // the threads wait for that would free it. So it gives back all that it holds before it waits.
  void submit(typename ModelInPlay<G>::Group& group) {
    if (older_) {
      if (group.batch.try_submit()) return;
      for_each_model([](ModelInPlay<G>& model) {
        for (auto& any : model.groups) any.batch.wait();
      });
    }
    group.batch.submit();
  }

  static void supply(typename ModelInPlay<G>::Group& group) {
    group.batch.remember();
    for (int row = 0; row < static_cast<int>(group.waiting.size()); ++row) {
      group.waiting[static_cast<std::size_t>(row)]->supply(group.batch.prediction(row));
    }
    group.waiting.clear();
    group.batch.clear();
  }

  // Every slot plays on until it wants an evaluation; the wanted positions become its model's batch.
  void gather(std::size_t turn) {
    for (Place& place : groups_[turn].places) {
      if (!wants_evaluation(place)) continue;
      typename ModelInPlay<G>::Group& group = place.model->groups[turn];
      group.batch.add(place.slot.leaf(), place.slot.variant());
      group.waiting.push_back(&place.slot);
    }
  }

  // Returns false when there is no game for the slot now.
  bool wants_evaluation(Place& place) {
    for (;;) {
      if (place.slot.playing()) {
        if (place.slot.advance()) return true;
        --place.model->in_flight;
        place.slot.give_record(shared_.housekeeper.exchange(place.slot.take_record()));
      }
      if (!start_next(place)) return false;
    }
  }

  bool start_next(Place& place) {
    const std::optional<NextGame> next = shared_.source.next();
    if (!next) return false;
    const GeneratorOptions& options = shared_.options;
    Random random = Random::for_game(options.seed, next->generation, next->number);
    const bool repetition = random.chance(options.selfplay.repetition_share) && variants_.size() > 1;
    place.model = newest_.get();
    ++place.model->in_flight;
    place.slot.start(variants_[repetition ? 1 : 0], repetition ? 1 : 0, next->number, random, next->generation,
                     place.model->number);
    return true;
  }

  void count(std::size_t rows, std::size_t batches, Clock::duration other, Clock::duration network) {
    counters_.plies.store(counts_.plies, std::memory_order_relaxed);
    counters_.full_plies.store(counts_.full, std::memory_order_relaxed);
    counters_.searched_plies.store(counts_.searched, std::memory_order_relaxed);
    counters_.simulations.store(counts_.simulations, std::memory_order_relaxed);
    ThreadCounters::add(counters_.evaluations, rows);
    std::uint64_t hits = past_cache_hits_;
    for_each_model([&](const ModelInPlay<G>& model) { hits += model.cache ? model.cache->hits() : 0; });
    counters_.cache_hits.store(hits, std::memory_order_relaxed);
    ThreadCounters::add(counters_.batches, batches);
    ThreadCounters::add(counters_.other_nanoseconds, nanoseconds(other));
    ThreadCounters::add(counters_.network_nanoseconds, nanoseconds(network));
  }

  Shared<Base>& shared_;
  ThreadCounters& counters_;
  Handover<G>& handover_;
  Stopwatch watch_;
  std::vector<G> variants_;
  PlyCounts counts_;
  std::vector<Group> groups_;
  std::unique_ptr<ModelInPlay<G>> newest_;  // begins games
  std::unique_ptr<ModelInPlay<G>> older_;   // ends those that it began; null where there are none
  std::uint64_t past_cache_hits_ = 0;       // of models that were left
};

// Looks for newer models beside the threads that play, and prepares each for all of them.
template <Game G>
class ModelWatch {
 public:
  ModelWatch(std::vector<G> variants, std::uint32_t first, const GeneratorOptions& options, ModelSource& source,
             std::vector<Handover<G>>& handovers, Failure& failure)
      : thread_([this, variants = std::move(variants), first, &options, &source, &handovers,
                 &failure](const std::stop_token& over) {
          try {
            const OneThread one_thread;  // as for the threads that will use the evaluators
            watch(variants, first, options, source, handovers, over);
          } catch (...) {
            failure.keep();
          }
        }) {}

 private:
  static constexpr std::chrono::milliseconds kPause{100};

  void watch(const std::vector<G>& variants, std::uint32_t newest, const GeneratorOptions& options, ModelSource& source,
             std::vector<Handover<G>>& handovers, const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    while (!over.stop_requested()) {
      for (Handover<G>& handover : handovers) handover.clear_away();
      if (const std::optional<NumberedModel> model = source.newer(newest)) {
        newest = model->number;
        for (Handover<G>& handover : handovers) {
          handover.offer(std::make_unique<ModelInPlay<G>>(newest, variants, options, model->make_evaluator));
        }
        source.given(newest);
      }
      pause_.wait_for(lock, over, kPause, [] { return false; });
    }
  }

  std::condition_variable_any pause_;
  std::jthread thread_;
};

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
                            const std::atomic<bool>& stop, [[maybe_unused]] ModelSource* newer) {
  Failure failure;
  std::vector<ThreadCounters> counters(static_cast<std::size_t>(thread_count(options.threads)));
  std::vector<Handover<G>> handovers(counters.size());
  Housekeeper housekeeper(sink, failure, source.games(), options.tick_seconds,
                          [&](SelfplayStatistics& statistics) { sum_up(counters, statistics); });
  Shared<Base> shared{{}, options, make_evaluator, source, stop, failure, housekeeper};
  for (const AnyGame& any : any_variants) shared.variants.push_back(std::get<Base>(any));
  {
    std::optional<ModelWatch<G>> watch;
    if constexpr (std::is_same_v<G, Base>) {
      if (newer) watch.emplace(shared.variants, shared.first_model(), options, *newer, handovers, failure);
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
    const std::string name = std::visit([](const auto& concrete) { return concrete.name(); }, game);
    const std::vector<std::string> threefold{"repetition=3"};
    variants.push_back(parse_game(name, threefold));
  }
  return variants;
}

SelfplayStatistics generate_games(const AnyGame& game, const GeneratorOptions& options,
                                  const EvaluatorFactory& make_evaluator, GameSource& source, GameSink& sink,
                                  const std::atomic<bool>& stop, ModelSource* newer) {
  if (options.selfplay.slots < 1) throw std::invalid_argument("generate_games: slots must be at least 1");
  if (options.ledger && newer) throw std::invalid_argument("generate_games: a ledger is of one model");
  const std::vector<AnyGame> variants = game_variants(game, options.selfplay.repetition_share);
  return std::visit(
      [&]<Game G>(const G&) {
        return options.ledger ? generate<TimedGame<G>, G>(variants, options, make_evaluator, source, sink, stop, newer)
                              : generate<G, G>(variants, options, make_evaluator, source, sink, stop, newer);
      },
      game);
}

SelfplayStatistics generate_games(const AnyGame& game, const GeneratorOptions& options,
                                  const EvaluatorFactory& make_evaluator, std::span<const std::uint32_t> numbers,
                                  GameSink& sink, const std::atomic<bool>& stop) {
  ListedGames source(numbers, static_cast<std::uint32_t>(options.generation));
  return generate_games(game, options, make_evaluator, source, sink, stop);
}

}  // namespace koridor
