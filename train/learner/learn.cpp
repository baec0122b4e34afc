#include "train/learner/learn.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "core/base/error.h"
#include "models/network/model_file.h"
#include "train/learner/replay_window.h"
#include "train/learner/steps.h"
#include "train/learner/training_parts.h"
#include "train/run/loss_report.h"

namespace koridor {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

TrainerEnd learn_from_shards(const LearnTask& task, const std::atomic<bool>& stop) {
  const Config& config = task.config;
  const std::vector<AnyGame> games = games_of(config);
  const std::unique_ptr<Learner> learner = new_learner(config, threads_of(config, task.threads));
  ReplayWindow window(games, config.features, config.training, "");
  for (const std::string& path : task.shards) {
    try {
      window.add(path);
    } catch (const UserError& error) {
      warn(std::string(error.what()) + "; skipped");
    }
  }
  if (window.positions() == 0) throw UserError("none of the shards has a position to learn from");

  const int steps = steps_for(config.training, window.positions());
  const StepPlan plan{{config.run.seed, 0, 0, steps, config.training.batch}, 1};
  Clock::time_point shown{};
  const auto after_step = [&](int step, const StepSummary& summary) {
    if (Clock::now() - shown >= std::chrono::seconds(2) || step == steps) {
      fmt::print("step {}/{}: {:.0f} samples/s, {}\n", step, steps, summary.samples_per_second,
                 loss_text(report_of(summary, *learner)));
      std::fflush(stdout);
      shown = Clock::now();
    }
    return !stop;
  };
  run_steps(*learner, window, config.training, plan, after_step);
  if (stop) return TrainerEnd::stopped;
  save_model(task.out, export_for_play(*learner, config, {config_hash(config), 1}, window));
  return TrainerEnd::finished;
}

}  // namespace koridor
