// How certain a share is that was counted in a sample.
#pragma once

namespace koridor {

struct Interval {
  double low;
  double high;
};

// The Wilson score interval (Wilson 1927) of a share `score` of `games`, at 95% confidence; [0, 1] of no games.
Interval wilson_interval(double score, double games);

}  // namespace koridor
