#include "train/learner/run_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "train/learner/optimizer.h"
#include "train/run/run_clock.h"

namespace koridor {
namespace {

double saved_seconds(const RunDirectory& run) {
  try {
    return RunClock::saved_seconds(run);
  } catch (const UserError&) {
    return 0;  // the process that leads the run says so
  }
}

// The last rate of the training that made the model of `generation`; 0 where its metrics do not say.
double last_rate(const RunDirectory& run, int generation) {
  try {
    return member(read_json(run.metrics(generation)), "learning_rate", 0.0);
  } catch (const UserError&) {
    return 0;
  }
}

}  // namespace

RunSchedule::Part RunSchedule::part(int generation, int steps) {
  const Part part = part_of_work(generation, steps);
  const double spent = time_spent();
  return {std::max(part.from, spent), std::max(part.to, spent)};
}

double RunSchedule::time_spent() {
  if (config_.run.max_minutes > 0 && time_spent_ < 1) {
    const double spent = saved_seconds(run_) / (60.0 * config_.run.max_minutes);
    time_spent_ = std::clamp(spent, time_spent_, 1.0);  // what cannot be read now takes nothing back
  }
  return time_spent_;
}

RunSchedule::Part RunSchedule::part_of_work(int generation, int steps) {
  const double generations = config_.run.generations;
  const Part part{generation / generations, (generation + 1) / generations};
  if (config_.run.max_cost <= 0) return part;
  const double before = cost_.until(generation);
  const double samples = static_cast<double>(steps) * config_.training.batch;
  const double own = cost_of(work_of(config_, shards_.figures(generation), samples));
  const auto share = [&](double cost) { return std::min(1.0, cost / config_.run.max_cost); };
  return {std::max(part.from, share(before)), std::max(part.to, share(before + own))};
}

bool RunSchedule::budget_is_spent(int generation) {
  return config_.run.max_cost > 0 && cost_.until(generation) >= config_.run.max_cost;
}

bool RunSchedule::time_is_over() {
  return time_spent() >= 1;
}

std::optional<std::string> RunSchedule::higher_rate(int generation, const Part& part,
                                                    std::int64_t optimizer_steps) const {
  constexpr double kHigher = 1.1;
  if (optimizer_steps <= config_.training.warmup_steps) return std::nullopt;
  const double before = last_rate(run_, generation);
  const double now = learning_rate(config_.training, part.from, optimizer_steps);
  if (before <= 0 || now <= kHigher * before) return std::nullopt;
  return fmt::format(
      "the learning rate goes back from {:.2g} to {:.2g}, as the run is to end later than before; the next models may "
      "be weaker than the last one, until it has fallen again",
      before, now);
}

}  // namespace koridor
