// The training steps of one generation: batches in, progress out.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "train/learner/batch_reader.h"
#include "train/learner/learner.h"

namespace koridor {

// Which steps to run: [first, last) of generation `generation`, counted as in BatchRange, at which rates.
struct StepPlan {
  BatchRange range;
  int generations = 1;  // of the run: the schedule's length
};

// Means over the steps so far, and how fast they went.
struct StepSummary {
  int steps = 0;    // done here
  int skipped = 0;  // of them, for a gradient that was no number
  double loss = 0, gradient_norm = 0;
  std::vector<double> each{};  // the loss of each of the learner's heads
  double learning_rate = 0;    // the last one
  double seconds = 0;
  double samples_per_second = 0;
};

// steps = ceil(new_positions * samples_per_position / batch)
int steps_for(const TrainingConfig& config, std::uint64_t new_positions);

// Trains; after each step calls `after_step(step, summary)` (step: how many of the generation are done), which says
// whether to go on. Throws UserError when the loss has been no number for kPatience steps in a row.
StepSummary run_steps(Learner& learner, const ReplayWindow& window, const TrainingConfig& config, const StepPlan& plan,
                      const std::function<bool(int, const StepSummary&)>& after_step);

}  // namespace koridor
