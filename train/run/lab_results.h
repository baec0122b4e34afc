// What the runs of a laboratory come to: measures at their points, means over seeds, differences and verdicts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "train/run/comparison.h"
#include "train/run/laboratory.h"
#include "train/run/recipe.h"
#include "train/run/seed_statistics.h"

namespace koridor {

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

// Elo by the fit of the laboratory's comparison, relative to the last baseline. The own error of a point and of a mean
// holds that of this zero, which is common to all points; the own error of a difference does not.
LabMeasure elo_measure(const std::vector<LabRun>& runs, const std::vector<RatedPlayer>& players);

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
