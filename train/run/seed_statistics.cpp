#include "train/run/seed_statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace koridor {

double t_quantile(double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.975);
}

MeanOverSeeds mean_over_seeds(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  MeanOverSeeds result{.seeds = static_cast<int>(values.size())};
  for (const double value : values) result.mean += value / count;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = t_quantile(count - 1) * std::sqrt(squares / (count - 1) / count);
  return result;
}

Verdict verdict_of(const MeanOverSeeds& difference, double own_error, bool more_is_better) {
  if (!difference.error) return Verdict::undecided;
  const double error = std::max(*difference.error, own_error);
  // Without any error the values are so coarse that nothing is known of it.
  if (error == 0 || std::abs(difference.mean) <= error) return Verdict::undecided;
  return (difference.mean > 0) == more_is_better ? Verdict::better : Verdict::worse;
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

}  // namespace koridor
