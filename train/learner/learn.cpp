#include "train/learner/learn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/shell.h"
#include "core/base/text.h"
#include "models/network/model_file.h"
#include "train/learner/hold_out.h"
#include "train/learner/replay_window.h"
#include "train/learner/steps.h"
#include "train/learner/training_parts.h"
#include "train/run/events.h"
#include "train/run/games_check.h"
#include "train/run/loss_report.h"
#include "train/run/output_file.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShowInterval = std::chrono::milliseconds(200);
constexpr int kMeasurements = 10;  // of the games held out

class Learning {
 public:
  Learning(const LearnTask& task, const std::atomic<bool>& stop)
      : task_(task),
        config_(task.config),
        stop_(stop),
        games_(games_of(config_)),
        learner_(new_learner(config_, threads_of(config_, task.threads))),
        window_(games_, config_.features, config_.training, ""),
        held_out_(games_, config_.features, config_.training, "") {}

  TrainerEnd run() {
    check_training(config_.training);
    warn_of_idle_heads(config_);
    const std::vector<std::string> shards = named_shards(task_.shards);
    check_not_read("--out", task_.out, shards);
    check_not_read("--out", task_.out, {config_.training.start_from});
    check_output("--out", task_.out);  // said now, and not when the network is trained
    if (!config_.training.start_from.empty()) progress_.print(wrapped_text(start_line(config_)));
    read_shards(shards);
    if (window_.positions() == 0 && held_out_.positions() > 0 && !stop_) {
      throw UserError(fmt::format("--hold-out {}: it holds out all {}; give a smaller share or more games",
                                  task_.hold_out, counted(held_out_.positions(), "position")));
    }
    if (window_.positions() == 0 && !stop_) throw UserError("none of the shards has a position to learn from");
    if (task_.hold_out > 0 && held_out_.positions() == 0 && !stop_) {
      throw UserError(fmt::format("--hold-out {}: of {} it holds out none with a position; give a larger share or more",
                                  task_.hold_out, counted(static_cast<std::int64_t>(games_read_), "game")));
    }
    if (!stop_ && !task_.events.empty()) {
      // TensorBoard would show an earlier training's losses as part of this one.
      remove_events(task_.events);
      events_.emplace(task_.events);
    }
    steps_ = steps_for(config_.training, window_.positions());
    const StepPlan plan{{config_.run.seed, 0, 0, steps_, config_.training.batch}};
    const auto after_step = [this](int step, const StepSummary& summary) {
      const bool stopped = stop_;
      show(step, summary, step == steps_ || stopped);
      return !stopped;
    };
    StepSummary summary;
    if (!stop_) summary = run_steps(*learner_, window_, config_.training, plan, after_step);
    if (summary.steps == 0) {
      progress_.print("Stopped before the first step: nothing was written.");
      return TrainerEnd::stopped;
    }
    progress_.live("writing " + task_.out);
    save_model(task_.out, export_for_play(*learner_, config_, {config_hash(config_), 1}, window_));
    report(summary);
    return stop_ ? TrainerEnd::stopped : TrainerEnd::finished;
  }

 private:
  void read_shards(const std::vector<std::string>& shards) {
    for (const std::string& path : shards) {
      if (stop_) return;
      progress_.live("reading " + path);
      try {
        const auto checksum = shard_checksum(path);
        if (const auto copied = shards_.find(checksum); copied != shards_.end()) {
          warn(fmt::format("{}: a copy of {}, whose games count once; skipped", path, copied->second));
          continue;
        }
        ShardData shard = read_shard(path);
        const std::size_t games = shard.games();
        if (task_.hold_out > 0) {
          // Of a shard with a fault neither part may count.
          ReplayWindow(games_, config_.features, config_.training, "").add(path, shard);
          auto [learned, held] = split_games(shard, task_.hold_out);
          const std::size_t games_held = held.games();
          window_.add(path, std::move(learned));
          held_out_.add(path, std::move(held));
          games_held_ += games_held;
        } else {
          window_.add(path, std::move(shard));
        }
        shards_.emplace(checksum, path);
        games_read_ += games;
        ++shards_read_;
      } catch (const UserError& error) {
        add_fault(path, error.what());
      }
    }
    if (shards.size() == 1 && !faults_.empty()) throw UserError(faults_.begin()->second.first);
    for (const Faults& faults : std::views::values(faults_)) {
      const std::size_t others = faults.paths - 1;
      warn(fmt::format("{}; skipped{}", faults.first,
                       others > 0 ? fmt::format(" (as {} for the same reason)",
                                                counted(static_cast<std::int64_t>(others), "other shard"))
                                  : ""));
    }
  }

  // Many shards may have the same fault, such as another game's: it is one line in the end.
  void add_fault(const std::string& path, const std::string& message) {
    const std::string name = path + ": ";
    const std::string reason = message.starts_with(name) ? message.substr(name.size()) : message;
    ++faults_.try_emplace(reason, Faults{message}).first->second.paths;
  }

  void show(int step, const StepSummary& summary, bool last) {
    const bool measured = measure(step, last);
    if (!measured && !last && Clock::now() - shown_ < kShowInterval) return;
    shown_ = Clock::now();
    const LossReport report = report_of(summary.recent, *learner_);
    std::vector<std::string> parts{clock_text(summary.seconds / summary.steps * (steps_ - step)) + " left",
                                   fmt::format("step {}/{}", step, steps_)};
    const std::optional<double> held = held_ ? std::optional(held_->loss) : std::nullopt;
    for (std::string& part : loss_parts(report, held)) parts.push_back(std::move(part));
    parts.push_back(short_count(summary.samples_per_second) + " samples/s");
    progress_.live(parts);
    if (Clock::now() - recorded_ < std::chrono::seconds(1) && !last) return;
    recorded_ = Clock::now();
    record("training", step, report);
    if (events_) events_->add_scalar("training/learning_rate", step, summary.learning_rate);
    if (events_) events_->add_scalar("training/samples_per_second", step, summary.samples_per_second);
  }

  // Now and then, and after the last step, the losses of the games held out.
  bool measure(int step, bool last) {
    if (held_out_.positions() == 0) return false;
    const int every = (steps_ + kMeasurements - 1) / kMeasurements;
    if (step % every != 0 && !last) return false;
    held_ = report_of(measure_all(*learner_, held_out_, static_cast<int>(games_.size())), *learner_);
    record("hold_out", step, *held_);
    return true;
  }

  void record(const std::string& name, int step, const LossReport& report) {
    if (!events_) return;
    nlohmann::json figures = nlohmann::json::object();
    write_losses(report, figures);
    for (const auto& [key, value] : figures.items()) {
      if (value.is_number()) events_->add_scalar(name + "/" + key, step, value.get<double>());
    }
  }

  void report(const StepSummary& summary) {
    const auto losses = [](const LossReport& of) {
      const std::vector<std::string> parts = loss_parts(of);
      return fmt::format("    {}\n    {}", loss_text(of), fmt::join(parts.begin() + 1, parts.end(), ", "));
    };
    std::string text = fmt::format(
        "{} {} after {}{} of {} in {}.\n"
        "  learned from: {} of {} in {}\n"
        "  the last {}:\n{}",
        stop_ ? "Stopped; what was learned is kept.\nWrote" : "Wrote", task_.out, counted(summary.steps, "step"),
        summary.steps < steps_ ? fmt::format(" (of {})", steps_) : "", counted(config_.training.batch, "position"),
        clock_text(summary.seconds), counted(static_cast<std::int64_t>(window_.positions()), "position"),
        counted(static_cast<std::int64_t>(games_read_ - games_held_), "game"), counted(shards_read_, "shard"),
        counted(std::min(summary.steps, StepSummary::kRecent), "step"), losses(report_of(summary.recent, *learner_)));
    if (held_) {
      const std::size_t positions = held_out_.positions();
      const std::string share = counted(static_cast<std::int64_t>(positions), "position") + " of the " +
                                counted(static_cast<std::int64_t>(games_held_), "game");
      text += fmt::format(
          "\n  the written network on as many positions that it learned from:\n{}"
          "\n  and on the {} held out:\n{}",
          losses(report_of(measure_some(*learner_, window_, positions), *learner_)), share, losses(*held_));
    }
    if (events_) text += fmt::format("\n  losses by step: tensorboard --logdir {}", shell_word(task_.events.string()));
    progress_.print(text);
  }

  const LearnTask& task_;
  const Config& config_;
  const std::atomic<bool>& stop_;
  std::vector<AnyGame> games_;
  std::unique_ptr<Learner> learner_;
  ReplayWindow window_;
  ReplayWindow held_out_;
  std::optional<EventWriter> events_;
  Progress progress_;
  std::optional<LossReport> held_;  // the losses of the games held out, as last measured
  struct Faults {
    std::string first;  // what is wrong with the first of them
    std::size_t paths = 0;
  };
  std::map<std::string, Faults> faults_;         // by what is wrong
  std::map<std::uint64_t, std::string> shards_;  // the first path of each by its checksum
  std::size_t games_read_ = 0;
  std::size_t games_held_ = 0;
  int shards_read_ = 0;
  int steps_ = 0;
  Clock::time_point shown_{};
  Clock::time_point recorded_{};
};

}  // namespace

TrainerEnd learn_from_shards(const LearnTask& task, const std::atomic<bool>& stop) {
  return Learning(task, stop).run();
}

}  // namespace koridor
