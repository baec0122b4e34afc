#include "train/run/laboratory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/words.h"
#include "train/run/cost.h"
#include "train/run/loop.h"
#include "train/run/rating_openings.h"
#include "train/run/run_config.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

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
      check_learning_rates(given.training);
      check_self_play(given);
      return;
    } catch (const UserError& error) {
      throw UserError(fmt::format("recipe \"{}\": {}", recipe.label, error.what()));
    }
  }
  const Config kept = load_run_config(directory);
  std::string difference = first_frozen_difference(kept, given);
  if (difference.empty()) difference = gate_difference(kept, given);
  if (!difference.empty()) {
    throw UserError(
        fmt::format("{} is a run of another recipe than {}: {}; give label=NAME to the recipe, or another "
                    "--out",
                    directory.root().string(), recipe.label, difference));
  }
  if (kept.run.max_cost != given.run.max_cost) {
    throw UserError(
        fmt::format("{} was trained for a budget of {} core-seconds, not {}, and its learning rate has gone "
                    "down with that; give --budget {} or another --out",
                    directory.root().string(), kept.run.max_cost, given.run.max_cost, kept.run.max_cost));
  }
}

const LabPoint* point_of(const LabRun& run, int number) {
  const auto found = std::ranges::find(run.points, number, &LabPoint::number);
  return found == run.points.end() ? nullptr : &*found;
}

std::vector<double> values_at(const std::vector<LabRun>& runs, std::size_t recipe, int number,
                              const LabMeasure& measure) {
  std::vector<double> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LabPoint* point = runs[i].recipe == recipe ? point_of(runs[i], number) : nullptr;
    if (point == nullptr) continue;
    if (const auto value = measure.value(i, point->generation)) values.push_back(*value);
  }
  return values;
}

// How much more the recipe's last point on a seed has than that of the base.
struct DifferenceOfSeed {
  double value;
  LabWeight own;   // weighs 1
  LabWeight base;  // weighs -1
};
std::vector<DifferenceOfSeed> differences_at_end(const std::vector<LabRun>& runs, std::size_t recipe,
                                                 const LabMeasure& measure) {
  struct End {
    std::size_t run;
    int generation;
    double value;
  };
  std::map<int, End> base;
  std::map<int, End> own;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].points.empty() || (runs[i].recipe != 0 && runs[i].recipe != recipe)) continue;
    const int generation = runs[i].points.back().generation;
    const auto value = measure.value(i, generation);
    if (!value) continue;
    (runs[i].recipe == 0 ? base : own)[runs[i].seed] = {i, generation, *value};
  }
  std::vector<DifferenceOfSeed> differences;
  for (const auto& [seed, mine] : own) {
    const auto found = base.find(seed);
    if (found == base.end()) continue;
    const End& other = found->second;
    differences.push_back(
        {mine.value - other.value, {mine.run, mine.generation, 1.0}, {other.run, other.generation, -1.0}});
  }
  return differences;
}

// The error of the mean of so many values whose sum this is.
double error_of_mean_of(const LabMeasure& measure, std::vector<LabWeight> sum, std::size_t values) {
  for (LabWeight& part : sum) part.weight /= static_cast<double>(values);
  return measure.error_of_sum(sum);
}

// The error that these errors of single values, of which no more is known, bring into the mean of the values.
double error_of_mean(const LabMeasure& measure, const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += measure.shared_error ? error : error * error;
  return (measure.shared_error ? sum : std::sqrt(sum)) / static_cast<double>(errors.size());
}

// The error that the single values bring into their mean; nothing where they have none.
std::optional<double> own_error(const std::vector<LabRun>& runs, std::size_t recipe, int number,
                                const LabMeasure& measure) {
  if (!measure.error) return {};
  std::vector<LabWeight> sum;
  std::vector<double> errors;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LabPoint* point = runs[i].recipe == recipe ? point_of(runs[i], number) : nullptr;
    if (point == nullptr || !measure.value(i, point->generation)) continue;
    sum.push_back({i, point->generation, 1.0});
    errors.push_back(measure.error(i, point->generation));
  }
  if (errors.empty()) return {};
  return measure.error_of_sum ? error_of_mean_of(measure, sum, errors.size()) : error_of_mean(measure, errors);
}

// The error that the single values bring into the mean of these differences; nothing where they have none.
std::optional<double> own_error(const std::vector<DifferenceOfSeed>& differences, const LabMeasure& measure) {
  if (!measure.error) return {};
  std::vector<LabWeight> sum;
  std::vector<double> errors;
  for (const auto& [value, own, base] : differences) {
    sum.insert(sum.end(), {own, base});
    errors.push_back(std::hypot(measure.error(own.run, own.generation), measure.error(base.run, base.generation)));
  }
  return measure.error_of_sum ? error_of_mean_of(measure, sum, errors.size()) : error_of_mean(measure, errors);
}

std::string in_format(const LabMeasure& measure, double value) {
  return fmt::format(fmt::runtime(measure.format), measure.factor * value);
}

// "+12", "-3.1%"
std::string signed_text(const LabMeasure& measure, double value) {
  return (value < 0 ? "-" : "+") + in_format(measure, std::abs(value));
}

bool known(const std::vector<LabRun>& runs, const LabMeasure& measure) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const LabPoint& point : runs[i].points) {
      if (measure.value(i, point.generation)) return true;
    }
  }
  return false;
}

int width_of_labels(const std::vector<Recipe>& recipes) {
  std::size_t width = 10;
  for (const Recipe& recipe : recipes) width = std::max(width, recipe.label.size());
  return static_cast<int>(width);
}

}  // namespace

Laboratory::Laboratory(std::vector<Recipe> recipes, LabOptions options)
    : recipes_(std::move(recipes)), options_(std::move(options)) {
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

// Whether the run has reached the budget; its points are then known.
bool Laboratory::trained(LabRun& run) const {
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
                    "or more, so that there is something to see on the way",
                    recipes_[run.recipe].label, until.at(1), options_.budget, 2 * kLabPoints * until.at(1)));
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
      {.games = options_.games, .store = options_.folder / "matches.json", .matches = lab_schedule(runs_, baselines)});
}

LabMeasure Laboratory::elo_measure(const std::vector<LabRun>& runs, const std::vector<RatedPlayer>& players) {
  const auto ratings = std::make_shared<std::map<std::pair<std::string, int>, RatedPlayer>>();
  for (const RatedPlayer& player : players) {
    if (player.generation >= 0) ratings->emplace(std::pair(player.run, player.generation), player);
  }
  std::vector<std::string> labels;
  for (const LabRun& run : runs) labels.push_back(run.run.label);
  const auto rated = [=](std::size_t run, int generation) -> const RatedPlayer* {
    const auto found = ratings->find({labels.at(run), generation});
    return found == ratings->end() ? nullptr : &found->second;
  };
  LabMeasure measure{.name = "elo", .title = "Elo", .heading = "Elo", .format = "{:.0f}"};
  measure.value = [=](std::size_t run, int generation) -> std::optional<double> {
    const RatedPlayer* player = rated(run, generation);
    return player == nullptr ? std::nullopt : std::optional(player->elo);
  };
  measure.error = [=](std::size_t run, int generation) {
    const RatedPlayer* player = rated(run, generation);
    return player == nullptr ? 0.0 : player->error;
  };
  if (players.empty()) return measure;
  measure.error_of_sum = [=, fit = players.front().fit](std::span<const LabWeight> sum) {
    std::vector<double> weights(fit->ratings.size());
    for (const LabWeight& part : sum) {
      if (const RatedPlayer* player = rated(part.run, part.generation)) weights[player->place_in_fit] += part.weight;
    }
    return fit->error95_of_sum(weights);
  };
  return measure;
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
        const LabPoint* same = meets ? point_of(runs[k], runs[i].points[point].number) : nullptr;
        if (same != nullptr && same->number < kLabPoints) matches.push_back({side, {k, same->generation}});
      }
    }
  }
  return matches;
}

std::optional<MeanOverSeeds> lab_mean(const std::vector<LabRun>& runs, std::size_t recipe, int point,
                                      const LabMeasure& measure) {
  const std::vector<double> values = values_at(runs, recipe, point, measure);
  if (values.empty()) return {};
  return mean_over_seeds(values);
}

std::optional<double> lab_cost(const std::vector<LabRun>& runs, std::size_t recipe, int point) {
  const LabMeasure cost{.name = "cost", .title = "", .heading = "", .format = "", .value = [&](std::size_t run, int) {
                          const LabPoint* found = point_of(runs[run], point);
                          return found == nullptr ? std::optional<double>() : std::optional(found->cost);
                        }};
  const auto mean = lab_mean(runs, recipe, point, cost);
  return mean ? std::optional(mean->mean) : std::nullopt;
}

Table lab_table(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  // Costs of less than a few core-seconds have fractions.
  double most = 0;
  for (const LabRun& run : runs) most = std::max(most, run.points.empty() ? 0 : run.points.back().cost);
  std::vector<Column> columns = {{"recipe", text, "", "", -width_of_labels(recipes), "{}"},
                                 {"share", number, "share", "way", 5, "{:.0f}%", 100.0},
                                 {"cost", number, "core-seconds", "cost", 9, most < 10 ? "{:.3g}" : "{:.0f}"},
                                 {"seeds", integer, "", "runs", 5, "{}"}};
  for (const LabMeasure& measure : measures) {
    const bool shown = known(runs, measure);
    const auto format = [&](const std::string& prefix) { return shown ? prefix + measure.format : std::string(); };
    columns.push_back({measure.name, number, "", measure.heading, 8, format(""), measure.factor});
    columns.push_back({measure.name + "_seeds95", number, "", "seeds", 8, format("+-"), measure.factor});
    columns.push_back(
        {measure.name + "_own95", number, "", "own", 8, measure.error ? format("+-") : "", measure.factor});
  }
  Table table("compare", std::move(columns));
  for (std::size_t recipe = 0; recipe < recipes.size(); ++recipe) {
    for (int point = 1; point <= kLabPoints; ++point) {
      const auto cost = lab_cost(runs, recipe, point);
      if (!cost) continue;
      const auto seeds = std::ranges::count_if(
          runs, [&](const LabRun& run) { return run.recipe == recipe && point_of(run, point) != nullptr; });
      std::vector<Cell> row = {recipes[recipe].label, static_cast<double>(point) / kLabPoints, *cost, seeds};
      for (const LabMeasure& measure : measures) {
        const auto mean = lab_mean(runs, recipe, point, measure);
        row.push_back(mean ? Cell(mean->mean) : Cell());
        row.push_back(mean ? Cell(mean->error) : Cell());
        row.push_back(own_error(runs, recipe, point, measure));
      }
      table.add(std::move(row));
    }
  }
  return table;
}

Table lab_verdicts(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                   const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  const auto sentence = [measures](const TableRow& row) {
    const auto measure = std::ranges::find(measures, row.text("measure"), &LabMeasure::name);
    std::string line =
        fmt::format("{}: {} {}", row.text("recipe"), measure->title, signed_text(*measure, row.number("difference")));
    if (!row.empty("seeds95")) {
      const double own = row.empty("own95") ? 0 : row.number("own95");
      line += " +-" + in_format(*measure, std::max(row.number("seeds95"), own));
    }
    line += fmt::format(" against {}: {}", row.text("base"), row.text("verdict"));
    if (row.empty("seeds95")) line += ", since one seed says nothing of another";
    return line + "\n";
  };
  Table table("verdicts",
              {{"recipe", text},
               {"base", text},
               {"measure", text},
               {"difference", number},
               {"seeds95", number},
               {"own95", number},
               {"verdict", text}},
              sentence);
  for (std::size_t recipe = 1; recipe < recipes.size(); ++recipe) {
    for (const LabMeasure& measure : measures) {
      const std::vector<DifferenceOfSeed> differences = differences_at_end(runs, recipe, measure);
      if (differences.empty()) continue;
      std::vector<double> values;
      for (const DifferenceOfSeed& each : differences) values.push_back(each.value);
      const MeanOverSeeds difference = mean_over_seeds(values);
      const std::optional<double> own = own_error(differences, measure);
      const Verdict verdict = verdict_of(difference, own.value_or(0), measure.more_is_better);
      table.add({recipes[recipe].label, recipes.front().label, measure.name, difference.mean, difference.error, own,
                 name_of(verdict)});
    }
  }
  return table;
}

Table lab_runs(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
               const std::vector<LabMeasure>& measures) {
  using enum ColumnType;
  std::vector<Column> columns = {{"recipe", text},
                                 {"seed", integer},
                                 {"share", number, "share"},
                                 {"generation", integer},
                                 {"cost", number, "core-seconds"}};
  for (const LabMeasure& measure : measures) {
    columns.push_back({measure.name, number});
    columns.push_back({measure.name + "_own95", number});
  }
  Table table("runs", std::move(columns));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const LabPoint& point : runs[i].points) {
      std::vector<Cell> row = {recipes[runs[i].recipe].label, runs[i].seed,
                               static_cast<double>(point.number) / kLabPoints, point.generation, point.cost};
      for (const LabMeasure& measure : measures) {
        const auto value = measure.value(i, point.generation);
        row.push_back(value);
        row.push_back(value && measure.error ? Cell(measure.error(i, point.generation)) : Cell());
      }
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace koridor
