#include "models/network/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/network/batch_check.h"

namespace koridor {
namespace {

// The number that, subtracted from logits, makes them logarithms of probabilities.
double log_total(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (const float logit : logits) total += std::exp(logit - largest);
  return largest + std::log(total);
}

class Check final : public Evaluator {
 public:
  Check(std::unique_ptr<Evaluator> reference, std::unique_ptr<Evaluator> candidate)
      : reference_(std::move(reference)), candidate_(std::move(candidate)) {
    if (reference_->shape() != candidate_->shape()) {
      throw std::invalid_argument("make_check: the evaluators have different shapes");
    }
    const auto most = static_cast<std::size_t>(max_batch());
    policy_.resize(most * static_cast<std::size_t>(shape().policy_size()));
    value_.resize(most * static_cast<std::size_t>(shape().value_size()));
    auxiliary_.resize(most * static_cast<std::size_t>(shape().players));
  }

  const EncodingShape& shape() const override { return reference_->shape(); }
  int max_batch() const override { return std::min(reference_->max_batch(), candidate_->max_batch()); }
  std::string describe() const override {
    return fmt::format("{}, checking {}", reference_->describe(), candidate_->describe());
  }
  const Differences& differences() const { return differences_; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape(), max_batch(), batch, out);
    reference_->evaluate(batch, out);
    candidate_->evaluate(batch, {policy_, value_, auxiliary_});
    add_differences(shape(), batch.size, out, {policy_, value_, auxiliary_}, differences_);
  }

 private:
  std::unique_ptr<Evaluator> reference_, candidate_;
  std::vector<float> policy_, value_, auxiliary_;  // the candidate's
  Differences differences_;
};

}  // namespace

void add_differences(const EncodingShape& shape, int size, const Predictions& expected, const Predictions& actual,
                     Differences& to) {
  const auto length = static_cast<std::size_t>(shape.policy_size());
  const auto count = static_cast<std::size_t>(size);
  for (std::size_t at = 0; at < count * length; at += length) {
    const double expected_total = log_total(expected.policy.subspan(at, length));
    const double actual_total = log_total(actual.policy.subspan(at, length));
    for (std::size_t i = at; i < at + length; ++i) {
      const double expected_log = expected.policy[i] - expected_total;
      const double actual_log = actual.policy[i] - actual_total;
      const double probability = std::exp(expected_log);
      to.policy.add(probability - std::exp(actual_log));
      to.total_divergence += probability * (expected_log - actual_log);
    }
  }
  const auto compare = [&](std::span<const float> a, std::span<const float> b, int each, Difference& difference) {
    for (std::size_t i = 0; i < count * static_cast<std::size_t>(each); ++i) {
      difference.add(double{a[i]} - double{b[i]});
    }
  };
  compare(expected.value, actual.value, shape.value_size(), to.value);
  if (!expected.auxiliary.empty()) compare(expected.auxiliary, actual.auxiliary, shape.players, to.auxiliary);
  to.positions += count;
}

void Difference::add(double difference) {
  largest = std::max(largest, std::abs(difference));
  total += std::abs(difference);
  ++entries;
}

std::string Differences::summary() const {
  return fmt::format(
      "{} positions: policy differs by {:.2g} at most, {:.2g} on average (mean KL {:.2g}); value by {:.2g} at most, "
      "{:.2g} on average",
      positions, policy.largest, policy.mean(), mean_divergence(), value.largest, value.mean());
}

std::unique_ptr<Evaluator> make_check(std::unique_ptr<Evaluator> reference, std::unique_ptr<Evaluator> candidate) {
  return std::make_unique<Check>(std::move(reference), std::move(candidate));
}

const Differences* check_differences(const Evaluator& evaluator) {
  const auto* check = dynamic_cast<const Check*>(&evaluator);
  return check == nullptr ? nullptr : &check->differences();
}

}  // namespace koridor
