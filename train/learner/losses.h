// The training loss: the sum over the heads of weight * loss, each loss a mean over the batch.
//   softmax heads   cross-entropy of the target against the softmax (of the policy: over legal actions)
//   sigmoid heads   binary cross-entropy of each number in [0, 1] against the sigmoid, a mean over the numbers too
// Weight decay is the optimiser's.
#pragma once

#include <span>
#include <vector>

#include "train/learner/net.h"
#include "train/targets/targets.h"

namespace koridor {

// The targets as tensors, shapes as in TrainingBatch.
struct Truths {
  torch::Tensor legal;                 // [batch, policy_size]
  std::vector<torch::Tensor> targets;  // [batch, head_size()], in the order of the heads
};

struct Losses {
  torch::Tensor total;              // a scalar
  std::vector<torch::Tensor> each;  // scalars without their weights, in the order of the heads
};

Losses compute_losses(const NetOutput& output, const Truths& truths, std::span<const Objective> objectives);

}  // namespace koridor
