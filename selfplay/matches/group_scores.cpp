#include "selfplay/matches/group_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selfplay/matches/interval.h"

namespace koridor {
namespace {

constexpr double kUnit = 1e6;  // of the scores that are told apart

std::int64_t key(double score) {
  return std::llround(score * kUnit);
}

double normal_distribution(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// The sum of the groups' squared distances from this score.
double squares_around(const GroupScores& groups, double mean) {
  double squares = 0;
  for (const GroupScores::Entry& entry : groups.entries()) {
    squares += entry.groups * (entry.score - mean) * (entry.score - mean);
  }
  return squares;
}

}  // namespace

void GroupScores::add(double score, double groups) {
  counts_[key(score)] += groups;
  groups_ += groups;
}

std::vector<GroupScores::Entry> GroupScores::entries() const {
  std::vector<Entry> entries;
  for (const auto& [score, groups] : counts_) entries.push_back({static_cast<double>(score) / kUnit, groups});
  return entries;
}

double GroupScores::mean() const {
  if (groups_ <= 0) return 1.0 / players_;
  double sum = 0;
  for (const Entry& entry : entries()) sum += entry.score * entry.groups;
  return sum / groups_;
}

ScoreEstimate estimate_score(const GroupScores& groups) {
  ScoreEstimate estimate{.score = groups.mean()};
  if (groups.groups() <= 0) return estimate;
  const double count = groups.groups() + 1;
  const double even = 1.0 / groups.players();
  const double mean = (groups.mean() * groups.groups() + even) / count;
  const double squares = (1 - even) * mean * mean + even * (1 - mean) * (1 - mean) + squares_around(groups, mean);
  const double error = std::sqrt(squares / count / count);
  estimate.low = std::clamp(std::min(mean - kNormal95 * error, estimate.score), 0.0, 1.0);
  estimate.high = std::clamp(std::max(mean + kNormal95 * error, estimate.score), 0.0, 1.0);
  estimate.los = normal_distribution((mean - even) / error);
  return estimate;
}

double dispersion(const GroupScores& groups, double games_per_group) {
  constexpr double kMoreGroups = 2;
  const double mean = groups.mean();
  const double even = 1.0 / groups.players();
  const double more = kMoreGroups * even * (1 - even);
  return (games_per_group * squares_around(groups, mean) + more) / (groups.groups() * mean * (1 - mean) + more);
}

}  // namespace koridor
