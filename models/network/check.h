// How far two evaluators are apart, and an evaluator that compares two.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/network/evaluator.h"

namespace koridor {

// Absolute differences of probabilities between candidate and reference.
struct Difference {
  double largest = 0.0;
  double total = 0.0;
  std::uint64_t entries = 0;

  double mean() const { return entries == 0 ? 0.0 : total / static_cast<double>(entries); }
  void add(double difference);
};

struct Differences {
  std::uint64_t positions = 0;
  Difference policy;              // softmax over all policy entries, legal or not
  Difference value;               // players and draw
  Difference auxiliary;           // only where the caller asked for it
  double total_divergence = 0.0;  // sum of the policies' Kullback-Leibler divergences KL(reference | candidate), nats

  double mean_divergence() const { return positions == 0 ? 0.0 : total_divergence / static_cast<double>(positions); }
  std::string summary() const;  // one line for a person
};

// Adds the differences of `size` positions to `to`, with those of auxiliary values if `expected` has any.
void add_differences(const EncodingShape& shape, int size, const Predictions& expected, const Predictions& actual,
                     Differences& to);

// Evaluates with both, returns the reference's results and keeps the differences.
std::unique_ptr<Evaluator> make_check(std::unique_ptr<Evaluator> reference, std::unique_ptr<Evaluator> candidate);

// The differences kept by an evaluator of make_check; null for any other evaluator.
const Differences* check_differences(const Evaluator& evaluator);

}  // namespace koridor
