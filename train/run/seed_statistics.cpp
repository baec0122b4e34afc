#include "train/run/seed_statistics.h"

#include <cmath>
#include <numbers>

namespace koridor {
namespace {

struct Sample {
  double mean = 0;
  double variance = 0;  // of the mean
  double degrees = 0;
};

Sample sample_of(std::span<const double> values) {
  Sample sample;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) sample.mean += value / count;
  sample.degrees = count - 1;
  for (const double value : values) {
    if (sample.degrees > 0) {
      sample.variance += (value - sample.mean) * (value - sample.mean) / sample.degrees / count;
    }
  }
  return sample;
}

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
  const Sample sample = sample_of(values);
  MeanOverSeeds result{.mean = sample.mean, .seeds = static_cast<int>(values.size())};
  if (values.size() > 1) result.error = t_quantile(sample.degrees) * std::sqrt(sample.variance);
  return result;
}

MeanOverSeeds difference_over_seeds(std::span<const double> a, std::span<const double> b) {
  const Sample first = sample_of(a);
  const Sample second = sample_of(b);
  MeanOverSeeds result{.mean = first.mean - second.mean, .seeds = static_cast<int>(std::min(a.size(), b.size()))};
  if (a.size() < 2 || b.size() < 2) return result;
  const double variance = first.variance + second.variance;
  // Welch's degrees of freedom; of equal values alone they do not matter.
  const double degrees =
      variance > 0
          ? variance * variance /
                (first.variance * first.variance / first.degrees + second.variance * second.variance / second.degrees)
          : 1;
  result.error = t_quantile(degrees) * std::sqrt(variance);
  return result;
}

Verdict verdict_of(const MeanOverSeeds& difference, bool more_is_better) {
  if (!difference.error || std::abs(difference.mean) <= *difference.error) return Verdict::undecided;
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
