// What tests of the generator share beside selfplay_tools.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "models/network/evaluator.h"

namespace koridor {

inline constexpr const char* kGame = "quoridor:5x5,walls=3";

// An evaluator whose policy is the same everywhere but for one action, which is nearly certain.
class OneActionEvaluator : public Evaluator {
 public:
  OneActionEvaluator(const EncodingShape& shape, int max_batch, std::vector<int> liked)
      : shape_(shape), max_batch_(max_batch), liked_(std::move(liked)) {}
  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    std::ranges::fill(out.policy, 0.0f);
    for (int row = 0; row < batch.size; ++row) {
      for (const int entry : liked_) out.policy[static_cast<std::size_t>(row * shape_.policy_size() + entry)] = 12.0f;
      for (int i = 0; i < 3; ++i) out.value[static_cast<std::size_t>(row * 3 + i)] = 1.0f / 3.0f;
    }
  }
  std::string describe() const override { return "one action"; }

 private:
  EncodingShape shape_;
  int max_batch_;
  std::vector<int> liked_;
};

}  // namespace koridor
