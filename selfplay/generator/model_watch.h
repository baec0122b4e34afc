// The thread that prepares newer models for the threads that play.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/one_thread.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/model_in_play.h"

namespace koridor {

// Looks for newer models beside the threads that play, and prepares each for all of them.
template <Game G>
class ModelWatch {
 public:
  struct Task {
    std::vector<G> variants;  // of the game
    std::uint32_t first;      // the number of the model in play at the beginning
    const GeneratorOptions& options;
    ModelSource& source;
    std::vector<Handover<G>>& handovers;  // one per thread
  };

  // Throws UserError where there is no thread for it.
  ModelWatch(Task task, Failure& failure) {
    try {
      thread_ = std::jthread([this, task = std::move(task), &failure](const std::stop_token& over) {
        try {
          const OneThread one_thread;  // as for the threads that will use the evaluators
          watch(task, over);
        } catch (...) {
          failure.keep();
        }
      });
    } catch (const std::system_error& error) {
      throw UserError(std::string("cannot start the thread that looks for newer models: ") + error.what());
    }
  }

 private:
  static constexpr std::chrono::milliseconds kPause{100};

  void watch(const Task& task, const std::stop_token& over) {
    std::uint32_t newest = task.first;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    while (!over.stop_requested()) {
      for (Handover<G>& handover : task.handovers) handover.clear_away();
      if (const std::optional<NumberedModel> model = task.source.newer(newest)) {
        newest = model->number;
        for (Handover<G>& handover : task.handovers) {
          handover.offer(std::make_unique<ModelInPlay<G>>(newest, task.variants, task.options, model->make_evaluator));
        }
        task.source.given(newest);
      }
      pause_.wait_for(lock, over, kPause, [] { return false; });
    }
  }

  std::condition_variable_any pause_;
  std::jthread thread_;
};

}  // namespace koridor
