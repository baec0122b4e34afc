// The thread that prepares newer models for the threads that play.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/failure.h"
#include "core/base/one_thread.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/model_in_play.h"

namespace koridor {

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

}  // namespace koridor
