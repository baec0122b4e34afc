#include "train/learner/steps.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/base/elapsed.h"
#include "core/base/error.h"

namespace koridor {
namespace {

constexpr int kPatience = 20;

}  // namespace

void StepFigures::add(const StepResult& step, int memory) {
  if (memory > 0) {
    const double kept = 1.0 - 1.0 / memory;
    weight_ *= kept;
    gradient_norm_ *= kept;
    policy_loss_ *= kept;
    for (double& sum : each_) sum *= kept;
    quality_.scale(kept);
  }
  add_weighted(step, 1.0);
}

void StepFigures::add_weighted(const StepResult& step, double weight) {
  weight_ += weight;
  gradient_norm_ += weight * step.gradient_norm;
  if (!step.each.empty()) policy_loss_ += step.quality.policies * step.each[0];
  each_.resize(step.each.size());
  for (std::size_t i = 1; i < each_.size(); ++i) each_[i] += weight * step.each[i];
  quality_.add(step.quality);
}

std::vector<double> StepFigures::each() const {
  std::vector<double> means;
  for (const double sum : each_) means.push_back(mean(sum));
  if (!means.empty() && quality_.policies > 0) means[0] = policy_loss_ / quality_.policies;
  return means;
}

StepSummary run_steps(Learner& learner, const ReplayWindow& window, const TrainingConfig& config, const StepPlan& plan,
                      const std::function<bool(int, const StepSummary&)>& after_step) {
  const BatchRange& range = plan.range;
  StepSummary summary = plan.before;
  if (range.first >= range.last || window.positions() == 0) return summary;
  BatchReader reader(window, range, config.reader_threads);
  const auto start = std::chrono::steady_clock::now();
  int counted = range.first;
  int in_a_row = 0;
  const auto count = [&](const std::optional<StepResult>& result) {
    if (!result) return;
    ++counted;
    if (std::isfinite(result->loss) && std::isfinite(result->gradient_norm)) {
      in_a_row = 0;
      summary.all.add(*result);
      summary.recent.add(*result, StepSummary::kRecent);
      const auto board = static_cast<std::size_t>(result->board);
      if (summary.boards.size() <= board) summary.boards.resize(board + 1);
      summary.boards[board].add(*result);
    } else {
      ++summary.skipped;
      if (++in_a_row == kPatience) {
        throw UserError(
            fmt::format("the loss was no number for {} steps up to step {} of generation {}: lower "
                        "training.learning_rate or set training.gradient_clip",
                        kPatience, counted, range.generation + 1));
      }
    }
  };
  for (int step = range.first; step < range.last; ++step) {
    const double progress = plan.from + (plan.to - plan.from) * static_cast<double>(step) / range.last;
    summary.learning_rate = learning_rate(config, progress, learner.steps());
    count(learner.step(reader.next(), summary.learning_rate));
    if (step + 1 == range.last) count(learner.finish_step());
    ++summary.steps;
    summary.seconds = plan.before.seconds + seconds_since(start);
    summary.samples_per_second = summary.steps * range.batch / summary.seconds;
    if (!after_step(step + 1, summary)) break;
  }
  count(learner.finish_step());
  return summary;
}

}  // namespace koridor
