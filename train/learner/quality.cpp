#include "train/learner/quality.h"

#include <algorithm>
#include <cmath>

namespace koridor {
namespace {

// P(mover wins) + P(draw) / players.
double expected_points(std::span<const float> outcome) {
  const auto players = static_cast<double>(outcome.size() - 1);
  return outcome.front() + outcome.back() / players;
}

double expected_points_of_logits(std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  const auto players = static_cast<double>(logits.size() - 1);
  return (std::exp(logits.front() - largest) + std::exp(logits.back() - largest) / players) / sum;
}

void add_policy(std::span<const float> logits, std::span<const float> legal, std::span<const float> truth,
                PredictionQuality& sums) {
  std::size_t first_choice = 0;
  float best = -INFINITY;
  float likeliest = 0.0f;
  double entropy = 0.0;
  for (std::size_t action = 0; action < logits.size(); ++action) {
    const float logit = logits[action] + legal[action];
    if (logit > best) {
      best = logit;
      first_choice = action;
    }
    const float share = truth[action];
    if (share <= 0.0f) continue;
    likeliest = std::max(likeliest, share);
    entropy -= share * std::log(share);
  }
  if (likeliest <= 0.0f) return;
  sums.policies += 1.0;
  sums.entropy += entropy;
  sums.agreements += truth[first_choice] == likeliest ? 1.0 : 0.0;
}

void add_value(double predicted, double observed, PredictionQuality& sums) {
  if (!std::isfinite(predicted)) return;
  sums.squared_error += (predicted - observed) * (predicted - observed);
  const int bin = std::clamp(static_cast<int>(predicted * PredictionQuality::kBins), 0, PredictionQuality::kBins - 1);
  sums.bins[static_cast<std::size_t>(bin)].samples += 1.0;
  sums.bins[static_cast<std::size_t>(bin)].predicted += predicted;
  sums.bins[static_cast<std::size_t>(bin)].observed += observed;
}

}  // namespace

void PredictionQuality::add(const PredictionQuality& other) {
  samples += other.samples;
  policies += other.policies;
  entropy += other.entropy;
  agreements += other.agreements;
  squared_error += other.squared_error;
  for (int bin = 0; bin < kBins; ++bin) {
    bins[bin].samples += other.bins[bin].samples;
    bins[bin].predicted += other.bins[bin].predicted;
    bins[bin].observed += other.bins[bin].observed;
  }
}

void PredictionQuality::scale(double factor) {
  for_each_sum([factor](double& sum) { sum *= factor; });
}

double PredictionQuality::value_calibration_error() const {
  double sum = 0.0;
  for (const Bin& bin : bins) sum += std::abs(bin.observed - bin.predicted);
  return mean(sum);
}

PredictionQuality quality_of(const PredictionRows& rows) {
  PredictionQuality sums;
  sums.samples = rows.samples;
  const auto actions = static_cast<std::size_t>(rows.actions);
  const auto outcomes = static_cast<std::size_t>(rows.players) + 1;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.samples); ++row) {
    const auto of = [row](std::span<const float> all, std::size_t size) { return all.subspan(row * size, size); };
    add_policy(of(rows.policy, actions), of(rows.legal, actions), of(rows.policy_truth, actions), sums);
    add_value(expected_points_of_logits(of(rows.value, outcomes)), expected_points(of(rows.value_truth, outcomes)),
              sums);
  }
  return sums;
}

}  // namespace koridor
