// The confidence interval of a share that was counted in a sample, whatever the share is of: positions in which a
// player keeps the value, games that a move's visits stand for. The score of a match is no such share: its games come
// in pairs that are not independent (group_scores.h).
#pragma once

namespace koridor {

// Standard deviations of a normal distribution to either side of its mean that hold 95% of it.
inline constexpr double kNormal95 = 1.959963984540054;

struct Interval {
  double low;
  double high;
};

// The Wilson score interval (Wilson 1927) of the share `score` of `games`, at 95% confidence; [0, 1] for no games.
// Unlike the normal one (1.96 standard deviations) it stays within [0, 1] and has a width where all games were won.
Interval wilson_interval(double score, double games);

}  // namespace koridor
