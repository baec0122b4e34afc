#include "train/learner/steps.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.h"

namespace koridor {
namespace {

constexpr int kPatience = 20;

}  // namespace

int steps_for(const TrainingConfig& config, std::uint64_t new_positions) {
  return static_cast<int>(
      std::ceil(static_cast<double>(new_positions) * config.samples_per_position / static_cast<double>(config.batch)));
}

StepSummary run_steps(Learner& learner, const ReplayWindow& window, const TrainingConfig& config, const StepPlan& plan,
                      const std::function<bool(int, const StepSummary&)>& after_step) {
  const BatchRange& range = plan.range;
  StepSummary summary;
  if (range.first >= range.last || window.positions() == 0) return summary;
  BatchReader reader(window, range, config.reader_threads);
  const auto start = std::chrono::steady_clock::now();
  StepResult total;
  int in_a_row = 0;
  for (int step = range.first; step < range.last; ++step) {
    const double progress = (range.generation + static_cast<double>(step) / range.last) / plan.generations;
    summary.learning_rate = learning_rate(config, progress, learner.steps());
    const StepResult result = learner.step(reader.next(), summary.learning_rate);
    ++summary.steps;
    if (std::isfinite(result.loss) && std::isfinite(result.gradient_norm)) {
      in_a_row = 0;
      total.loss += result.loss;
      total.policy += result.policy;
      total.value += result.value;
      total.auxiliary += result.auxiliary;
      total.gradient_norm += result.gradient_norm;
    } else {
      ++summary.skipped;
      if (++in_a_row == kPatience) {
        throw UserError(
            fmt::format("the loss was no number for {} steps up to step {} of generation {}: lower "
                        "training.learning_rate or set training.gradient_clip",
                        kPatience, step, range.generation + 1));
      }
    }
    const int counted = std::max(1, summary.steps - summary.skipped);
    summary.loss = total.loss / counted;
    summary.policy = total.policy / counted;
    summary.value = total.value / counted;
    summary.auxiliary = total.auxiliary / counted;
    summary.gradient_norm = total.gradient_norm / counted;
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summary.samples_per_second = summary.steps * range.batch / summary.seconds;
    if (!after_step(step + 1, summary)) break;
  }
  return summary;
}

}  // namespace koridor
