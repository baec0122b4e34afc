#include "selfplay/matches/interval.h"

#include <algorithm>
#include <cmath>

namespace koridor {

Interval wilson_interval(double score, double games) {
  if (games <= 0) return {0.0, 1.0};
  constexpr double kSquare = kNormal95 * kNormal95;
  const double centre = (score + kSquare / (2 * games)) / (1 + kSquare / games);
  const double half =
      kNormal95 / (1 + kSquare / games) * std::sqrt(score * (1 - score) / games + kSquare / (4 * games * games));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace koridor
