// The training steps of one generation: batches in, progress out.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "train/learner/batch_reader.h"
#include "train/learner/learner.h"

namespace koridor {

// Sums over steps, and their means. The loss of the policy, the first head, is in each step a mean over the samples
// that have one, so that a step counts here by how many these are: few or none of a batch with training.cheap_share.
class StepFigures {
 public:
  StepFigures() = default;
  // Of a network with so many heads.
  explicit StepFigures(std::size_t heads) : each_(heads) {}

  // With `memory` steps, earlier steps count less: each step multiplies their weight by 1 - 1 / memory. 0: all count
  // alike.
  void add(const StepResult& step, int memory = 0);
  // The same for a batch of `weight` samples: means are over samples.
  void add_weighted(const StepResult& step, double weight);

  double weight() const { return weight_; }  // the number of steps, or of samples
  double gradient_norm() const { return mean(gradient_norm_); }
  std::vector<double> each() const;  // the loss of each head, unweighted; empty without any step
  const PredictionQuality& quality() const { return quality_; }

  // Calls visit(sum) for every sum, in a fixed order, those of the heads last.
  template <class Visit>
  void for_each_sum(Visit&& visit) {
    for (double* sum : {&weight_, &gradient_norm_, &policy_loss_}) visit(*sum);
    quality_.for_each_sum(visit);
    for (double& sum : each_) visit(sum);
  }

 private:
  double mean(double sum) const { return weight_ > 0 ? sum / weight_ : 0.0; }

  double weight_ = 0, gradient_norm_ = 0;
  double policy_loss_ = 0;    // over samples that have a policy
  std::vector<double> each_;  // of the other heads; the first entry is not used
  PredictionQuality quality_;
};

// What run_steps has done so far of a generation, and how fast. Skipped steps are in no mean. On a GPU the last step is
// in the means, or among those skipped, only when the next one has begun or the call is over.
struct StepSummary {
  static constexpr int kRecent = 50;

  int steps = 0;                      // done
  int skipped = 0;                    // of them, skipped because the gradient was not finite
  StepFigures all{};                  // of all steps
  StepFigures recent{};               // of about the last kRecent of this call
  std::vector<StepFigures> boards{};  // of all steps on each of the window's boards
  double learning_rate = 0;           // of the last step
  double seconds = 0;
  double samples_per_second = 0;
};

// Which steps to make: one per batch of the range.
struct StepPlan {
  BatchRange range;
  double from = 0;       // where the learning rate's schedule stands before the first step of the range, in [0, 1] ...
  double to = 1;         // ... and after the last one
  StepSummary before{};  // what is known of the generation's steps that are made already
};

// Trains. After each step it calls `after_step(step, summary)`, where `step` is the number of steps of the generation
// that are done, and stops where that returns false. Throws UserError when the loss was not finite for 20 steps
// in a row. The summary goes on from the plan's.
StepSummary run_steps(Learner& learner, const ReplayWindow& window, const TrainingConfig& config, const StepPlan& plan,
                      const std::function<bool(int, const StepSummary&)>& after_step);

}  // namespace koridor
