// The evaluators of self-play's threads.
#pragma once

#include <memory>
#include <string>

#include "models/network/backend.h"
#include "selfplay/generator/config.h"

namespace koridor {

// The batches that each thread hands to its evaluator. Where the evaluator has two tickets, the thread's slots form two
// groups (generator.h), and a batch holds the rows of one group. Slots that are not chosen yet (0) count as kMostSlots.
ThreadBatches selfplay_batches(const SelfplayConfig& selfplay, int threads);

// Evaluators as selfplay.evaluation describes them; see make_evaluator_factory in models/backends.h. threads
// 0: all cores.
EvaluatorFactory selfplay_evaluators(std::shared_ptr<const Model> model, const SelfplayConfig& selfplay,
                                     const std::string& where, int threads);

}  // namespace koridor
