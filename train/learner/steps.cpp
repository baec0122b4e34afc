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
  double loss = 0;
  double norm = 0;
  std::vector<double> each(learner.objectives().size());
  int in_a_row = 0;
  for (int step = range.first; step < range.last; ++step) {
    const double progress = (range.generation + static_cast<double>(step) / range.last) / plan.generations;
    summary.learning_rate = learning_rate(config, progress, learner.steps());
    const StepResult result = learner.step(reader.next(), summary.learning_rate);
    ++summary.steps;
    if (std::isfinite(result.loss) && std::isfinite(result.gradient_norm)) {
      in_a_row = 0;
      loss += result.loss;
      norm += result.gradient_norm;
      for (std::size_t i = 0; i < each.size(); ++i) each[i] += result.each[i];
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
    summary.loss = loss / counted;
    summary.gradient_norm = norm / counted;
    summary.each = each;
    for (double& mean : summary.each) mean /= counted;
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summary.samples_per_second = summary.steps * range.batch / summary.seconds;
    if (!after_step(step + 1, summary)) break;
  }
  return summary;
}

}  // namespace koridor
