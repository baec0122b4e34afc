// A model that a thread plays games with, and how a newer one comes to the thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/network/evaluation_batch.h"
#include "models/network/evaluator.h"
#include "models/network/prediction_cache.h"
#include "selfplay/generator/game_slot.h"
#include "selfplay/generator/generator.h"

namespace koridor {

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
      groups.push_back(
          {EvaluationBatch<G>(games, options.features, evaluator, {.rows = size, .cache = cache, .ticket = ticket}),
           {}});
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

}  // namespace koridor
