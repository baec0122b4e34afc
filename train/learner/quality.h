// How well a network predicts what it learns, beside the losses: entropy of the policy target, agreement with it, and
// the error and calibration of the value. All are sums over samples, which add up over parts, steps and boards.
//
// The value of a sample is the mover's expected points v = P(win) + P(draw) / players, and the truth is the points y
// that the mover got: 1, 0, or 1 / players for a draw. With training.root_value_share it is the target that mixes these
// with the search's value, so that the figures of networks with different shares do not compare.
//   Brier score                  mean of (v - y)^2: 0 is perfect, and 0.25 is what v = 1/2 gets where nobody draws
//                                (Brier 1950, "Verification of forecasts expressed in terms of probability", for one
//                                event)
//   expected calibration error   sum over bins b of (n_b / n) |mean of y in b - mean of v in b|, for ten bins of equal
//                                width of v (Naeini, Cooper, Hauskrecht 2015, "Obtaining well calibrated probabilities
//                                using Bayesian binning")
#pragma once

#include <array>
#include <span>

namespace koridor {

struct PredictionQuality {
  static constexpr int kBins = 10;
  struct Bin {
    double samples = 0;
    double predicted = 0;  // the sum of v
    double observed = 0;   // the sum of y
  };

  double samples = 0;
  double policies = 0;       // samples that have a policy target
  double entropy = 0;        // of the policy target, in nats
  double agreements = 0;     // samples in which no action's target is above that of the network's first choice
  double squared_error = 0;  // of the value
  std::array<Bin, kBins> bins{};

  void add(const PredictionQuality& other);
  void scale(double factor);

  // Calls visit(sum) for every sum, in a fixed order.
  template <class Visit>
  void for_each_sum(Visit&& visit) {
    for (double* sum : {&samples, &policies, &entropy, &agreements, &squared_error}) visit(*sum);
    for (Bin& bin : bins) {
      for (double* sum : {&bin.samples, &bin.predicted, &bin.observed}) visit(*sum);
    }
  }

  // Means over the samples; 0 without any.
  double policy_entropy() const { return policies > 0 ? entropy / policies : 0.0; }
  double top1() const { return policies > 0 ? agreements / policies : 0.0; }
  double value_brier() const { return mean(squared_error); }
  double value_calibration_error() const;

 private:
  double mean(double sum) const { return samples > 0 ? sum / samples : 0.0; }
};

// Predictions and truths of a number of samples, row after row.
struct PredictionRows {
  int samples = 0;
  int actions = 0;
  int players = 0;
  std::span<const float> policy;        // [samples, actions]: logits
  std::span<const float> legal;         // [samples, actions]: what is added to them, 0 or kIllegal
  std::span<const float> policy_truth;  // [samples, actions]: sums to 1, or is all 0: no target
  std::span<const float> value;         // [samples, players + 1]: logits; the mover first, the draw last
  std::span<const float> value_truth;   // [samples, players + 1]
};
PredictionQuality quality_of(const PredictionRows& rows);

}  // namespace koridor
