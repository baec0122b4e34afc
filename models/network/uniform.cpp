// The backend uniform, which predicts the same for every position: for tests, and for measuring all but the network.
#include "models/network/uniform.h"

#include <algorithm>
#include <cstddef>

#include "models/network/backend.h"
#include "models/network/batch_check.h"

namespace koridor {
namespace {

class Uniform final : public Evaluator {
 public:
  Uniform(const EncodingShape& shape, int max_batch) : shape_(shape), max_batch_(max_batch) {}

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return "uniform"; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    const auto size = static_cast<std::size_t>(batch.size);
    std::ranges::fill(out.policy.first(size * shape_.policy_size()), 0.0f);
    std::ranges::fill(out.value.first(size * shape_.value_size()), 1.0f / static_cast<float>(shape_.value_size()));
    if (!out.auxiliary.empty()) std::ranges::fill(out.auxiliary.first(size * shape_.players), 0.5f);
  }

 private:
  EncodingShape shape_;
  int max_batch_;
};

}  // namespace

std::unique_ptr<Evaluator> make_uniform(const EncodingShape& shape, int max_batch) {
  return std::make_unique<Uniform>(shape, max_batch);
}

Backend uniform_backend() {
  return {.name = "uniform",
          .summary = "no network: every action and outcome is as likely as any other",
          .precisions = {Precision::f32, Precision::bf16, Precision::int8},
          .needs_model = false,
          .make = [](const BackendRequest&) -> EvaluatorFactory { return make_uniform; },
          .on_this_cpu = [] { return std::vector{Precision::f32}; }};
}

}  // namespace koridor
