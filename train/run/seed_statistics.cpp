#include "train/run/seed_statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace koridor {
namespace {

// P(0 <= T <= t) by Simpson's rule after t = sqrt(degrees) tan(angle), which leaves cos(angle)^(degrees - 1).
double mass_up_to(double t, double degrees) {
  constexpr int kSteps = 400;
  const double last = std::atan(t / std::sqrt(degrees));
  const double step = last / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(std::cos(i * step), degrees - 1);
  }
  const double scale =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(std::numbers::pi);
  return scale * sum * step / 3;
}

}  // namespace

double t_quantile(double degrees) {
  double low = 0;
  double high = 1;
  while (mass_up_to(high, degrees) < 0.475) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (mass_up_to(middle, degrees) < 0.475 ? low : high) = middle;
  }
  return (low + high) / 2;
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
