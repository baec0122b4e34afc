#include "selfplay/matches/yardstick/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace koridor {
namespace {

// So that a policy which rules the right action out costs much and not infinitely much.
constexpr double kLeastShare = 1e-6;

constexpr std::size_t kBins = std::tuple_size_v<decltype(ValueFigures::bins)>;

// Values and points of one position that fall into a bin.
struct Share {
  double count = 0;
  double points = 0;
};

// Sums over positions, of what each has in a bin: by them the mean's variance is that of whole positions.
struct Squares {
  double count2 = 0;
  double count_points = 0;
  double points2 = 0;

  void add(const Share& share) {
    count2 += share.count * share.count;
    count_points += share.count * share.points;
    points2 += share.points * share.points;
  }
  // Of `mean`, the points of all positions by the number of their values.
  double variance(double mean, double count) const {
    return std::max(0.0, points2 - 2 * mean * count_points + mean * mean * count2) / (count * count);
  }
};

struct Sums {
  YardstickFigures figures;
  ValueFigures value;
  std::array<Squares, kBins> squares{};
  PolicyFigures policy;
};

void add_value(ValueFigures& sums, std::array<Share, kBins>& shares, double expected, double proven) {
  ++sums.count;
  sums.brier += (expected - proven) * (expected - proven);
  constexpr int kLast = static_cast<int>(kBins) - 1;
  const auto place = static_cast<std::size_t>(std::clamp(static_cast<int>(expected * kBins), 0, kLast));
  ReliabilityBin& bin = sums.bins[place];
  ++bin.count;
  bin.predicted += expected;
  bin.observed += proven;
  ++shares[place].count;
  shares[place].points += proven;
}

void add_policy(PolicyFigures& sums, const YardstickPosition& position, std::span<const PolicyEntry> policy) {
  ++sums.positions;
  for (const KnownAction& known : position.known) {
    const auto entry = std::ranges::lower_bound(policy, known.action, {}, &PolicyEntry::action);
    const double share = entry == policy.end() || entry->action != known.action ? 0 : entry->probability;
    if (known.keeps) sums.mass += share;
    if (known.target <= 0) continue;
    const double target = known.target;
    sums.cross_entropy -= target * std::log(std::max(share, kLeastShare));
    sums.floor -= target * std::log(target);
  }
}

void add(Sums& sums, const YardstickPosition& position, const YardstickAnswer& answer, bool proven) {
  ++sums.figures.positions;
  const KnownAction* chosen = position.find(answer.action);
  if (chosen != nullptr && chosen->keeps) ++sums.figures.kept;
  if (!answer.fault.empty() && sums.figures.unanswered++ == 0) sums.figures.fault = answer.fault;
  sums.figures.regret += position.value - (chosen == nullptr ? 0.0f : chosen->points);
  std::array<Share, kBins> shares{};
  if (!proven && answer.value) add_value(sums.value, shares, *answer.value, position.value);
  for (const ExpectedPoints& expected : answer.expected) {
    const KnownAction* known = position.find(expected.action);
    if (proven && known != nullptr) add_value(sums.value, shares, expected.points, known->points);
  }
  for (std::size_t bin = 0; bin < kBins; ++bin) sums.squares[bin].add(shares[bin]);
  if (!answer.policy.empty()) add_policy(sums.policy, position, answer.policy);
}

// Makes means of the sums.
YardstickFigures means_of(Sums sums, bool proven) {
  YardstickFigures& figures = sums.figures;
  figures.regret = proven && figures.positions > 0 ? figures.regret / figures.positions : 0;
  if (const double count = sums.value.count; count > 0) {
    for (std::size_t place = 0; place < kBins; ++place) {
      ReliabilityBin& bin = sums.value.bins[place];
      if (bin.count == 0) continue;
      sums.value.calibration_error += std::abs(bin.observed - bin.predicted) / count;
      bin.predicted /= bin.count;
      bin.observed /= bin.count;
      const Interval single = wilson_interval(bin.observed, bin.count);
      bin.error95 = std::max((single.high - single.low) / 2,
                             kNormal95 * std::sqrt(sums.squares[place].variance(bin.observed, bin.count)));
    }
    sums.value.brier /= count;
    figures.value = sums.value;
  }
  if (const double count = sums.policy.positions; count > 0) {
    sums.policy.cross_entropy /= count;
    sums.policy.floor /= count;
    sums.policy.mass /= count;
    figures.policy = sums.policy;
  }
  return figures;
}

}  // namespace

YardstickFigures figures_of(const YardstickSet& set, std::span<const YardstickAnswer> answers) {
  std::vector<std::size_t> all(answers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return figures_of(set, answers, all);
}

YardstickFigures figures_of(const YardstickSet& set, std::span<const YardstickAnswer> answers,
                            std::span<const std::size_t> which) {
  Sums sums;
  for (const std::size_t place : which) add(sums, set.positions[place], answers[place], set.proven);
  return means_of(sums, set.proven);
}

LossCauses causes_of(const YardstickSet& set, std::span<const YardstickAnswer> answers) {
  LossCauses causes;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    const YardstickPosition& position = set.positions[place];
    const YardstickAnswer& answer = answers[place];
    const KnownAction* chosen = position.find(answer.action);
    if (chosen == nullptr || chosen->keeps || answer.searched.empty()) continue;
    float chosen_value = 0;
    float best_keeping = -1;  // of those with visits
    for (const ActionStatistics& action : answer.searched) {
      if (action.action == answer.action) chosen_value = action.value;
      const KnownAction* known = position.find(action.action);
      if (action.visits > 0 && known != nullptr && known->keeps) best_keeping = std::max(best_keeping, action.value);
    }
    if (best_keeping < 0) {
      ++causes.unseen;
    } else if (best_keeping > chosen_value) {
      ++causes.outvoted;
    } else {
      ++causes.misjudged;
    }
  }
  return causes;
}

}  // namespace koridor
