// The evaluators of self-play's threads.
#pragma once

#include <memory>
#include <string>

#include "models/network/backend.h"
#include "selfplay/generator/config.h"

namespace koridor {

// What each of the threads asks of its evaluator. Where that has two tickets, its slots are in two groups (generator.h),
// and a batch holds the rows of one. Slots that are still to be chosen (0) count as the most that are tried.
ThreadBatches selfplay_batches(const SelfplayConfig& selfplay, int threads);

// As selfplay.evaluation says; see make_evaluator_factory in models/backends.h. threads: 0 means all cores.
EvaluatorFactory selfplay_evaluators(std::shared_ptr<const Model> model, const SelfplayConfig& selfplay,
                                     const std::string& where, int threads);

}  // namespace koridor
