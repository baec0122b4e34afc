// The training steps of one generation: batches in, progress out.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "train/learner/batch_reader.h"
#include "train/learner/learner.h"

namespace koridor {

// Which steps to make: one per batch of the range.
struct StepPlan {
  BatchRange range;
  int generations = 1;  // of the run: the length of the learning rate's schedule
};

// Means over the steps of one call of run_steps, and their speed.
struct StepSummary {
  int steps = 0;    // done
  int skipped = 0;  // of them, skipped because the gradient was not finite
  double loss = 0, gradient_norm = 0;
  std::vector<double> each{};  // the loss of each of the learner's heads, unweighted
  double learning_rate = 0;    // of the last step
  double seconds = 0;
  double samples_per_second = 0;
};

// steps = ceil(new_positions * samples_per_position / batch)
int steps_for(const TrainingConfig& config, std::uint64_t new_positions);

// Trains. After each step it calls `after_step(step, summary)`, where `step` is the number of steps of the generation
// that are done, and stops where that returns false. Throws UserError when the loss was not finite for 20 steps
// in a row.
StepSummary run_steps(Learner& learner, const ReplayWindow& window, const TrainingConfig& config, const StepPlan& plan,
                      const std::function<bool(int, const StepSummary&)>& after_step);

}  // namespace koridor
