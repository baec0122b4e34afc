#include "train/run/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/base/damage.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "models/network/model_file.h"
#include "train/run/cost.h"
#include "train/run/loop.h"
#include "train/run/rating_openings.h"
#include "train/run/run_config.h"
#include "train/run/run_identity.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatches = "matches.json";

// The first key in which the tests of two gates differ; empty where they do not. `koridor train` lets a gate and the
// matches at it change on the way, but what was learnt under one is no run of a recipe with another.
std::string gate_difference(const Config& run, const Config& given) {
  const std::string difference =
      first_difference(run, given, [](const Setting& setting) { return setting.name == "rating.gate"; });
  if (!difference.empty() || run.rating.gate.empty()) return difference;
  return first_difference(run, given, [](const Setting& setting) {
    constexpr std::array<std::string_view, 4> kOfGates = {"rating.gate_games", "rating.visits", "rating.opening_plies",
                                                          "rating.openings"};
    return setting.section() == "match" || std::ranges::find(kOfGates, setting.name) != kOfGates.end();
  });
}

// What all runs are measured by: [rating] of the base. No gate belongs to that.
RatingConfig measuring_rating(const RatingConfig& base, int visits) {
  RatingConfig rating = base;
  rating.gate.clear();
  if (visits > 0) rating.visits = visits;
  return rating;
}

// What a run is trained with. A gate decides what is learned from, so that its matches are those of the recipe itself,
// whatever is measured; the rest of [rating] is not used before the measurement.
RatingConfig training_rating(const RatingConfig& own, const RatingConfig& measuring) {
  RatingConfig rating = own.gate.empty() ? measuring : own;
  rating.gate_games = own.gate_games;
  rating.baselines = measuring.baselines;
  return rating;
}

// Throws UserError where matches of so many games need more openings than rating.openings has: now, and not behind all
// trainings.
void check_match_openings(const Config& base, int games) {
  for (const AnyGame& game : games_of(base)) {
    check_openings(base.rating, game, games > 0 ? games : base.rating.games);
  }
}

// Throws UserError unless the run's directory is of this recipe, seed and budget, or new and the recipe one that can be
// trained.
void require_same_recipe(const RunDirectory& directory, const Recipe& recipe, const Config& given) {
  if (!fs::exists(directory.config())) {
    try {
      check_training(given.training);
      check_self_play(given);
      return;
    } catch (const UserError& error) {
      throw UserError(fmt::format("recipe \"{}\": {}", recipe.label, error.what()));
    }
  }
  const FoundConfig found = find_run_config(directory, given);
  if (!found.note.empty()) {
    print_message("koridor", found.note);
    save_run_config(directory, given);
  }
  const Config& kept = found.config;
  std::string difference = first_frozen_difference(kept, given);
  if (difference.empty()) difference = gate_difference(kept, given);
  if (!difference.empty()) {
    throw UserError(
        fmt::format("{} is a run of another recipe than {}: {}; give label=NAME to the recipe, or another "
                    "--out",
                    directory.root().string(), recipe.label, difference));
  }
  // A run may change them, and learns from other games then.
  if (kept.run.mode != given.run.mode || (given.run.mode == "continuous" && kept.run.ahead != given.run.ahead)) {
    throw UserError(
        fmt::format("{} was trained with run.mode = \"{}\" and run.ahead = {}, not \"{}\" and {}; give "
                    "label=NAME to the recipe, or another --out",
                    directory.root().string(), kept.run.mode, kept.run.ahead, given.run.mode, given.run.ahead));
  }
  if (kept.run.max_cost != given.run.max_cost) {
    throw UserError(
        fmt::format("{} was trained for a budget of {} core-seconds, not {}, and its learning rate has gone "
                    "down with that; give --budget {} or another --out",
                    directory.root().string(), kept.run.max_cost, given.run.max_cost, kept.run.max_cost));
  }
}

}  // namespace

const LabPoint* LabRun::point(int number) const {
  const auto found = std::ranges::find(points, number, &LabPoint::number);
  return found == points.end() ? nullptr : &*found;
}

Laboratory::Laboratory(std::vector<Recipe> recipes, LabOptions options)
    : recipes_(std::move(recipes)), options_(std::move(options)) {
  check_cross_matches(options_.folder / kMatches);
  const RatingConfig measuring = measuring_rating(recipes_.front().config.rating, options_.visits);
  for (Recipe& recipe : recipes_) recipe.config.rating = training_rating(recipe.config.rating, measuring);
  for (int seed = 1; seed <= options_.seeds; ++seed) {
    for (std::size_t recipe = 0; recipe < recipes_.size(); ++recipe) {
      const std::string label = fmt::format("{}/seed-{}", recipes_[recipe].label, seed);
      const RunDirectory directory(options_.folder / label);
      Config config = config_of(recipes_[recipe], seed);
      require_same_recipe(directory, recipes_[recipe], config);
      config.rating = measuring;
      trained(runs_.emplace_back(LabRun{recipe, seed, {directory, std::move(config), label}}));
    }
  }
}

// Whether the run has reached the budget; its points are then known. A damaged last model is none: the loop makes it
// again from its checkpoint.
bool Laboratory::trained(LabRun& run) const {
  if (const int models = run.run.directory.models(); models > 0) {
    if (damage_of([&] { load_model(run.run.directory.model(models - 1).string()); })) return false;
  }
  RunCost cost(run.run.directory, run.run.config);
  std::vector<double> until;
  for (int generation = 0, models = run.run.directory.models(); generation < models; ++generation) {
    until.push_back(cost.until(generation));
  }
  run.points = lab_points(until, options_.budget);
  if (run.points.empty()) return false;
  if (run.points.back().generation <= 1) {
    throw UserError(
        fmt::format("--budget: a generation of {} costs {:.3g} core-seconds, the budget is {:.3g}; give {:.2g} "
                    "or more, so that there is something to see on the way, and another --out: the runs in {} have "
                    "spent this one",
                    recipes_[run.recipe].label, until.at(1), options_.budget, 2 * kLabPoints * until.at(1),
                    options_.folder.string()));
  }
  return true;
}

int Laboratory::untrained() const {
  return static_cast<int>(std::ranges::count_if(runs_, [](const LabRun& run) { return run.points.empty(); }));
}

bool Laboratory::train(const std::atomic<bool>& stop) {
  if (untrained() > 0) check_match_openings(recipes_.front().config, options_.games);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    LabRun& run = runs_[i];
    if (!run.points.empty()) continue;
    if (stop) return false;
    const LoopOptions options{.run = run.run.directory.root(),
                              .programs = options_.programs,
                              .part_of = fmt::format("run {}/{} {}", i + 1, runs_.size(), run.run.label)};
    const Config config = config_of(recipes_[run.recipe], run.seed);
    if (run_loop(config, options, stop) == LoopEnd::stopped) return false;
    if (!trained(run)) {
      throw UserError(fmt::format("{} ended before its budget was spent", run.run.directory.root().string()));
    }
  }
  return true;
}

Comparison Laboratory::comparison() const {
  std::vector<LabelledRun> runs;
  for (const LabRun& run : runs_) runs.push_back(run.run);
  const std::vector<std::string>& baselines = runs_.front().run.config.rating.baselines;
  return Comparison(
      std::move(runs),
      {.games = options_.games, .store = options_.folder / kMatches, .matches = lab_schedule(runs_, baselines)});
}

std::vector<LabPoint> lab_points(const std::vector<double>& until, double budget) {
  std::vector<LabPoint> points;
  const auto generations = static_cast<int>(until.size());
  for (int number = 1; number <= kLabPoints; ++number) {
    // Generation 0 is untrained and has cost nothing.
    int generation = 1;
    while (generation < generations && until[static_cast<std::size_t>(generation)] < budget * number / kLabPoints) {
      ++generation;
    }
    if (generation >= generations) return {};
    if (!points.empty() && points.back().generation == generation) points.pop_back();
    points.push_back({number, generation, until[static_cast<std::size_t>(generation)]});
  }
  return points;
}

std::vector<CrossMatch> lab_schedule(const std::vector<LabRun>& runs, const std::vector<std::string>& baselines) {
  std::vector<CrossMatch> matches;
  const auto last = [&](std::size_t run) { return CrossSide{run, runs[run].points.back().generation}; };
  // What decides comes first.
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = i + 1; k < runs.size(); ++k) {
      const bool other = runs[i].recipe != runs[k].recipe;
      if (std::abs(runs[i].seed - runs[k].seed) <= 1 && (other || runs[i].seed != runs[k].seed)) {
        matches.push_back({last(i), last(k)});
      }
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t point = runs[i].points.size(); point-- > 0;) {
      const CrossSide side{i, runs[i].points[point].generation};
      for (const std::string& baseline : baselines) matches.push_back({side, {.player = baseline}});
      if (point > 0) matches.push_back({side, {i, runs[i].points[point - 1].generation}});
      for (std::size_t k = 0; k < i; ++k) {
        const bool meets =
            runs[k].seed == runs[i].seed && (runs[k].recipe == 0 || runs[k].recipe + 1 == runs[i].recipe);
        const LabPoint* same = meets ? runs[k].point(runs[i].points[point].number) : nullptr;
        if (same != nullptr && same->number < kLabPoints) matches.push_back({side, {k, same->generation}});
      }
    }
  }
  return matches;
}

}  // namespace koridor
