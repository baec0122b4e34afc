#include "models/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/backends.h"
#include "models/batch_check.h"

namespace koridor {
namespace {

// log_probabilities = log(softmax(logits))
void log_softmax(std::span<const float> logits, std::vector<double>& log_probabilities) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (const float logit : logits) total += std::exp(logit - largest);
  const double log_total = largest + std::log(total);
  for (std::size_t i = 0; i < logits.size(); ++i) log_probabilities[i] = logits[i] - log_total;
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
    expected_.resize(static_cast<std::size_t>(shape().policy_size()));
    actual_.resize(static_cast<std::size_t>(shape().policy_size()));
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
    const auto size = static_cast<std::size_t>(batch.size);
    for (std::size_t i = 0; i < size; ++i) compare_policies(out.policy, i);
    const auto compare = [&](std::span<const float> expected, std::span<const float> actual, int each,
                             Difference& difference) {
      for (std::size_t i = 0; i < size * static_cast<std::size_t>(each); ++i) {
        difference.add(double{expected[i]} - double{actual[i]});
      }
    };
    compare(out.value, value_, shape().value_size(), differences_.value);
    if (!out.auxiliary.empty()) compare(out.auxiliary, auxiliary_, shape().players, differences_.auxiliary);
    differences_.positions += size;
  }

 private:
  void compare_policies(std::span<const float> policies, std::size_t position) {
    const std::size_t length = expected_.size();
    log_softmax(policies.subspan(position * length, length), expected_);
    log_softmax(std::span(policy_).subspan(position * length, length), actual_);
    for (std::size_t i = 0; i < length; ++i) {
      const double probability = std::exp(expected_[i]);
      differences_.policy.add(probability - std::exp(actual_[i]));
      differences_.total_divergence += probability * (expected_[i] - actual_[i]);
    }
  }

  std::unique_ptr<Evaluator> reference_, candidate_;
  std::vector<float> policy_, value_, auxiliary_;  // the candidate's
  std::vector<double> expected_, actual_;          // logarithms of one position's policies
  Differences differences_;
};

}  // namespace

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
