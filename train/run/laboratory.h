// A comparison of recipes on several seeds, trained to the same cost, in a folder of its own:
//
//   DIR/RECIPE/seed-1/         a run as every other
//   DIR/matches.json           the matches between all of them (comparison.h)
//
// Runs and matches that are there are not made again, so it can be stopped at any time, and seeds and recipes can be
// added. docs/compare.md explains what is counted and played, and why.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "train/run/comparison.h"
#include "train/run/recipe.h"
#include "train/run/seed_statistics.h"

namespace koridor {

inline constexpr int kLabPoints = 5;  // of the way of each run that are measured

// A generation of a run at which its strength is measured.
struct LabPoint {
  int number = kLabPoints;  // n: the first generation that has cost n / kLabPoints of the budget
  int generation = 0;
  double cost = 0;  // of the run up to it, in core-seconds
};

struct LabRun {
  std::size_t recipe = 0;  // the first is the base
  int seed = 1;
  LabelledRun run;                 // its label is "RECIPE/seed-1"; its configuration has [rating] as it is measured
  std::vector<LabPoint> points{};  // once it is trained; in rising order, the last one at the end
};

// The weight of a point's value in a sum over points.
struct LabWeight {
  std::size_t run = 0;  // its place among the runs
  int generation = 0;
  double weight = 0;
};

// What is measured of each point, as Elo and the share of proven values kept.
struct LabMeasure {
  std::string name;     // in tables for programs: "elo"
  std::string title;    // "Elo"
  std::string heading;  // of its column
  std::string format;   // of a value times `factor`: "{:.0f}"
  double factor = 1;
  bool more_is_better = true;
  // Of the run with this place among the runs; nothing where it is not known.
  std::function<std::optional<double>(std::size_t run, int generation)> value{};
  // Half the width of the 95% interval of one value, which the mean over seeds does not know of; may be empty.
  std::function<double(std::size_t run, int generation)> error{};
  // The same of a sum of values, where it is known which errors they share, as those of one fit of Elo. Where it is
  // empty, `shared_error` says how the errors of single values go into means and differences.
  std::function<double(std::span<const LabWeight> sum)> error_of_sum{};
  // Whether this error is of positions that all runs are measured on: a mean over runs has then no smaller one, as it
  // has where each run played games of its own. Of differences, in which a part of it cancels, this is more than it is.
  bool shared_error = false;
};

struct LabOptions {
  std::filesystem::path folder;
  std::filesystem::path programs;  // the folder of `koridor` and `koridor-trainer`
  int seeds = 3;
  double budget = 0;  // in core-seconds
  int games = 0;      // of each match; 0: rating.games of the base
  int visits = 0;     // of an action in matches; 0: rating.visits of the base
};

class Laboratory {
 public:
  // All runs are measured by [rating] of the first recipe and the options; the matches of a gate stay those of its own
  // recipe. Throws UserError where a folder holds a run of another recipe or budget.
  Laboratory(std::vector<Recipe> recipes, LabOptions options);

  // How many runs still have to be trained or continued.
  int untrained() const;

  // Trains what is missing, seed by seed; false when stopped. Throws UserError where a generation costs more than the
  // budget.
  bool train(const std::atomic<bool>& stop);

  // The matches of the points of all runs, which are trained.
  Comparison comparison() const;

  // Elo by that comparison's fit, relative to the last baseline. The own error of a point and of a mean holds that of
  // this zero, which is common to all points; the own error of a difference does not.
  static LabMeasure elo_measure(const std::vector<LabRun>& runs, const std::vector<RatedPlayer>& players);

  // As they are trained.
  const std::vector<Recipe>& recipes() const { return recipes_; }
  const std::vector<LabRun>& runs() const { return runs_; }
  const LabOptions& options() const { return options_; }

 private:
  bool trained(LabRun& run) const;

  std::vector<Recipe> recipes_;
  LabOptions options_;
  std::vector<LabRun> runs_;  // seed by seed, in each the recipes in their order
};

// The points of a run whose cost up to each generation, from 0 on, is `until`. Two points at one generation are one.
// Empty where the budget is not reached.
std::vector<LabPoint> lab_points(const std::vector<double>& until, double budget);

// Who meets whom: each point every baseline, the points before and after it in its run, and on its seed that of the
// base and that of the recipe before it; the last points moreover those of all other recipes on its own seed and on the
// seeds beside it, and that of its own recipe on the next seed. A recipe or a seed more therefore adds matches and
// drops none.
std::vector<CrossMatch> lab_schedule(const std::vector<LabRun>& runs, const std::vector<std::string>& baselines);

// "compare": each recipe at each point, with means over seeds.
Table lab_table(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                const std::vector<LabMeasure>& measures);
// "verdicts": each other recipe against the base at the end, by each measure, as a sentence.
Table lab_verdicts(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
                   const std::vector<LabMeasure>& measures);
// "runs": each run at each point.
Table lab_runs(const std::vector<Recipe>& recipes, const std::vector<LabRun>& runs,
               const std::vector<LabMeasure>& measures);

// The mean over seeds of a measure, and of the cost, at a point of a recipe; nothing where no seed has it.
std::optional<MeanOverSeeds> lab_mean(const std::vector<LabRun>& runs, std::size_t recipe, int point,
                                      const LabMeasure& measure);
std::optional<double> lab_cost(const std::vector<LabRun>& runs, std::size_t recipe, int point);

}  // namespace koridor
