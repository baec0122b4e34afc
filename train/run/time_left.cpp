#include "train/run/time_left.h"

#include <algorithm>

namespace koridor {
namespace {

constexpr double kNewest = 0.4;   // the weight of the newest duration in the mean
constexpr double kTelling = 0.1;  // a smaller part of a phase says little about the rest

}  // namespace

bool TimeLeft::rated(int generation) const {
  return generation % plan_.rate_every == 0 || generation == plan_.generations;
}

void TimeLeft::begin(RunPhase phase, int generation, double now) {
  end(now);
  first_share_ = ever_begun_ ? std::optional(0.0) : std::nullopt;
  begun_ = ever_begun_ = true;
  phase_ = phase;
  generation_ = generation;
  began_ = now;
}

void TimeLeft::progress(double share) {
  share_ = std::clamp(share, 0.0, 1.0);
  if (!first_share_) first_share_ = share_;
}

void TimeLeft::end(double now) {
  if (begun_) {
    // What was done before this process started took its time then.
    const double here = 1.0 - first_share_.value_or(0.0);
    if (here > kTelling) {
      std::optional<double>& mean = durations_[static_cast<std::size_t>(phase_)];
      const double newest = (now - began_) / here;
      mean = mean ? (1.0 - kNewest) * *mean + kNewest * newest : newest;
    }
  }
  begun_ = false;
  share_ = 0;
}

std::optional<double> TimeLeft::by_progress(double now) const {
  const double done = share_ - first_share_.value_or(0.0);
  if (done < kTelling) return std::nullopt;
  return (now - began_) / done;
}

std::optional<double> TimeLeft::of_present(double now) const {
  if (!begun_) return 0.0;
  if (const auto duration = by_progress(now)) return std::max(0.0, (1.0 - share_) * *duration);
  const std::optional<double> mean = of_phase(phase_);
  if (!mean) return std::nullopt;
  // Of some phases nobody says how far they are.
  const double gone = share_ > 0 ? share_ * *mean : now - began_;
  return std::max(0.0, *mean - gone);
}

std::optional<double> TimeLeft::seconds(double now) const {
  // A run that has not made a whole generation yet knows only how long it may start new ones.
  std::optional<double> allowed;
  if (plan_.max_seconds > now) allowed = plan_.max_seconds - now;
  const std::optional<double> present = of_present(now);
  const auto expected = [&](RunPhase phase) {
    return begun_ && phase == phase_ && !of_phase(phase) ? by_progress(now) : of_phase(phase);
  };
  const std::optional<double> play = plan_.continuous ? 0.0 : expected(RunPhase::play);
  const std::optional<double> train = expected(RunPhase::train);
  if (!present || !play || !train) return allowed;

  const double rate = expected(RunPhase::rate).value_or(0.0);
  const double gate = plan_.gated ? expected(RunPhase::gate).value_or(0.0) : 0.0;
  double left = *present;
  if (begun_ && phase_ == RunPhase::gate) left += *play;
  if (begun_ && (phase_ == RunPhase::gate || phase_ == RunPhase::play)) left += *train;
  if (begun_ && phase_ != RunPhase::rate && rated(generation_)) left += rate;
  for (int next = generation_ + 1; next <= plan_.generations; ++next) {
    if (plan_.max_seconds > 0 && now + left >= plan_.max_seconds) break;
    left += (next > 1 ? gate : 0.0) + *play + *train + (rated(next) ? rate : 0.0);
  }
  return left;
}

}  // namespace koridor
