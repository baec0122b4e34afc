// What a few runs of one recipe, which differ in their seed alone, say of the recipe: means over seeds with intervals
// by Student's t, which are wide where seeds are few. What the runs share, as the error of the scale's zero, is not in
// them: the own error of a mean (lab_results.h) holds it, and in differences of runs it cancels.
//
// Two recipes are compared by the mean over seeds of their differences on each seed. Runs of one seed begin with the
// same network and the same games where the recipes allow it, so that they are often good or bad together, and their
// differences tell far more than their means.
#pragma once

#include <optional>
#include <span>

namespace koridor {

struct MeanOverSeeds {
  double mean = 0;
  std::optional<double> error{};  // half the width of its 95% interval; nothing of a single seed
  int seeds = 0;
};

// The 97.5% point of Student's t distribution with so many degrees of freedom, > 0, whole or not.
double t_quantile(double degrees);

// The mean of at least one value.
MeanOverSeeds mean_over_seeds(std::span<const double> values);

enum class Verdict { better, worse, undecided };

// What a difference says: better or worse only where its interval does not hold 0. `own_error`: half the width of the
// interval that the difference has by what its values leave open, without what they share. The interval is never
// narrower: two or three seeds may differ by the same amount by chance. `more_is_better`: of what is measured.
Verdict verdict_of(const MeanOverSeeds& difference, double own_error, bool more_is_better = true);
const char* name_of(Verdict verdict);

}  // namespace koridor
