#include "selfplay/generator/evaluators.h"

#include <utility>

#include "core/base/cores.h"
#include "models/backends.h"
#include "selfplay/generator/choose_slots.h"

namespace koridor {

ThreadBatches selfplay_batches(const SelfplayConfig& selfplay, int threads) {
  const int slots = selfplay.slots > 0 ? selfplay.slots : kMostSlots;
  return {.threads = thread_count(threads), .rows = (slots + 1) / 2};
}

EvaluatorFactory selfplay_evaluators(std::shared_ptr<const Model> model, const SelfplayConfig& selfplay,
                                     const std::string& where, int threads) {
  return make_evaluator_factory(std::move(model), selfplay.evaluation, where, selfplay_batches(selfplay, threads));
}

}  // namespace koridor
