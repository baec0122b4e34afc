#include "train/run/loop_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/cores.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "train/run/live_words.h"
#include "train/run/run_figures.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

using nlohmann::json;

}  // namespace

LoopScreen::LoopScreen(const RunDirectory& run, const Config& config, std::string part_of, const RunClock& clock,
                       const std::atomic<bool>& stop)
    : run_(run),
      config_(config),
      part_of_(std::move(part_of)),
      clock_(clock),
      stop_(stop),
      left_({.generations = config.run.generations,
             .max_seconds = 60.0 * config.run.max_minutes,
             .rate_every = config.rating.every,
             .gated = !config.rating.gate.empty(),
             .continuous = config.run.mode == "continuous"}) {}

template <class Show>
void LoopScreen::show(Show&& show) {
  try {
    show();
  } catch (const std::system_error&) {
    if (!stop_) throw;
  }
}

void LoopScreen::print(const std::string& text) {
  show([&] { progress_.print(text); });
}

void LoopScreen::say(const std::string& text) {
  print(wrapped_text(text));
}

void LoopScreen::greet(int first_shown) {
  say(fmt::format(
      "Koridor learns {} in {} on {}: network of {} x {}.",
      config_.run.games.empty() ? config_.run.game : fmt::format("{}", fmt::join(config_.run.games, " and ")),
      run_.root().string(), counted(thread_count(config_.run.threads), "thread"),
      counted(config_.network.blocks, "block"), counted(config_.network.channels, "channel")));
  if (!config_.training.start_from.empty() && !std::filesystem::exists(run_.model(0))) say(start_line(config_));
  say("Ctrl-C stops it cleanly; the same command goes on.");
  if (first_shown > 0) {
    say(fmt::format("It goes on from {} after {} of work; `koridor rate` shows what was before.",
                    RunDirectory::label(first_shown), clock_text(clock_.seconds())));
  }
}

void LoopScreen::show_generation(const json& figures) {
  if (!std::exchange(header_shown_, true)) print("\n" + generation_header(config_.rating.baselines));
  print(generation_text(figures, config_.rating.baselines));
}

void LoopScreen::live(std::vector<std::string> work) {
  if (config_.run.max_cost > 0) {
    // Whichever is spent first ends the run.
    const double of_time = config_.run.max_minutes > 0 ? clock_.seconds() / (60.0 * config_.run.max_minutes) : 0.0;
    work.insert(work.begin(), fmt::format("generation {}, {:.0f}% of the {}", generation_,
                                          100.0 * std::max(spent_, of_time), of_time > spent_ ? "time" : "cost"));
  } else {
    work.insert(work.begin(), fmt::format("generation {}/{}", generation_, config_.run.generations));
    if (const auto left = left_.seconds(clock_.seconds())) work.insert(work.begin(), clock_text(*left) + " left");
  }
  if (!part_of_.empty()) work.insert(work.begin(), part_of_);
  show([&] { progress_.live(work); });
}

void LoopScreen::live_training(int generation) {
  const json status = live_progress(run_.status("trainer"));
  if (generation == 0 || member(status, "generation", -1) != generation) {
    live({generation == 0 ? "starting the trainer" : "training: reading the new games"});
    return;
  }
  progress(member(status, "step", 0) / std::max(1.0, member(status, "steps", 0.0)));
  live(training_words(status));
}

void LoopScreen::live_selfplay(int generation, int game) {
  const json status = live_progress(run_.status("selfplay"));
  if (member(status, "generation", -1) != generation) {
    live({"self-play: starting"});
    return;
  }
  const int games = member(status, "games", 0);
  const int wanted = member(status, "games_wanted", 0);
  const auto boards = static_cast<double>(games_of(config_).size());
  progress((game + static_cast<double>(games) / std::max(1, wanted)) / boards);
  const auto& names = config_.run.games;
  live(selfplay_words(status, names.empty() ? "" : names[static_cast<std::size_t>(game)]));
}

}  // namespace koridor
