// A comparison of recipes on several seeds, trained to the same cost, in a folder of its own:
//
//   DIR/RECIPE/seed-1/         a run as every other
//   DIR/matches.json           the matches between all of them (comparison.h)
//
// Runs and matches that are there are not made again, so it can be stopped at any time, and seeds and recipes can be
// added. docs/compare.md explains what is counted and played, and why. What comes out is in lab_results.h.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "train/run/comparison.h"
#include "train/run/recipe.h"

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

  // The point of this number; null where the run has none.
  const LabPoint* point(int number) const;
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

}  // namespace koridor
