// A thread that plays games: its slots, their batches, and the models that it plays with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/elapsed.h"
#include "core/base/failure.h"
#include "core/timed_game.h"
#include "selfplay/generator/game_slot.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/housekeeper.h"
#include "selfplay/generator/model_in_play.h"
#include "selfplay/generator/opponents.h"

namespace koridor {

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
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

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
        opponents_(variants_, shared.options.selfplay, &shared.stop),
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
    counters_.ledger.starting = seconds_since(shared_.began);
    std::size_t without_games = 0;
    for (std::size_t turn = 0;; turn = (turn + 1) % groups_.size()) {
      if (handover_.has_fresh()) take_newer_model();
      without_games = take_turn(turn) ? 0 : without_games + 1;
      if (is_stopped()) break;
      if (without_games < groups_.size()) continue;
      if (shared_.source.over()) break;
      const Clock::time_point begin = Clock::now();
      shared_.source.wait();
      ThreadCounters::add(counters_.waiting_nanoseconds, nanoseconds_of(Clock::now() - begin));
    }
    finish_ledger();
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct Place {
    Place(const G& game, const GeneratorOptions& options, Opponents<G>& opponents, PlyCounts& counts)
        : slot(game, options.selfplay, options.search, opponents, counts) {}

    GameSlot<G> slot;
    ModelInPlay<G>* model = nullptr;  // of the game that is being played
  };
  struct Group {
    Group(PlayingThread& thread, int size) {
      places.reserve(static_cast<std::size_t>(size));
      for (int i = 0; i < size; ++i) {
        places.emplace_back(thread.variants_[0], thread.shared_.options, thread.opponents_, thread.counts_);
      }
    }

    std::vector<Place> places;
  };

  template <class Visit>
  void for_each_model(const Visit& visit) {
    visit(*newest_);
    if (older_) visit(*older_);
  }

  bool is_stopped() const { return shared_.stop.load(std::memory_order_relaxed) || shared_.failure.failed(); }

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
      // The searches of opponents may take seconds.
      if (is_stopped()) return;
      if (!wants_evaluation(place)) continue;
      typename ModelInPlay<G>::Group& group = place.model->groups[turn];
      group.batch.add(place.slot.leaf(), place.slot.variant());
      group.waiting.push_back(&place.slot);
    }
  }

  // Returns false when there is no game for the slot now, or its opponent was stopped.
  bool wants_evaluation(Place& place) {
    for (;;) {
      if (place.slot.playing()) {
        if (place.slot.advance()) return true;
        if (!place.slot.over()) return false;
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
    place.slot.start(variants_[repetition ? 1 : 0],
                     {.variant = repetition ? 1 : 0,
                      .number = next->number,
                      .generation = next->generation,
                      .model = place.model->number},
                     random);
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
    ThreadCounters::add(counters_.other_nanoseconds, nanoseconds_of(other));
    ThreadCounters::add(counters_.network_nanoseconds, nanoseconds_of(network));
  }

  Shared<Base>& shared_;
  ThreadCounters& counters_;
  Handover<G>& handover_;
  Stopwatch watch_;
  std::vector<G> variants_;
  Opponents<G> opponents_;
  PlyCounts counts_;
  std::vector<Group> groups_;
  std::unique_ptr<ModelInPlay<G>> newest_;  // begins games
  std::unique_ptr<ModelInPlay<G>> older_;   // ends those that it began; null where there are none
  std::uint64_t past_cache_hits_ = 0;       // of models that were left
};

}  // namespace koridor
