// The confidence interval of a share that was counted in a sample.
#pragma once

namespace koridor {

struct Interval {
  double low;
  double high;
};

// The Wilson score interval (Wilson 1927) of the share `score` of `games`, at 95% confidence; [0, 1] for no games.
Interval wilson_interval(double score, double games);

}  // namespace koridor
