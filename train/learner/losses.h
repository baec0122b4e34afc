// The training loss: policy + value_weight * value + auxiliary_weight * auxiliary, each a mean over the batch.
//   policy     cross-entropy of the search's policy against the softmax over legal actions
//   value      cross-entropy of who won (or draw) against the softmax
//   auxiliary  mean binary cross-entropy of each player's target in [0, 1] against the sigmoid; in games with an owner
//   of
//              each square, plus the mean over squares of the same for ownership
// Weight decay is the optimiser's.
#pragma once

#include "train/learner/net.h"

namespace koridor {

// Targets as tensors; shapes as in TrainingBatch.
struct Targets {
  torch::Tensor policy, legal, value, auxiliary;
  torch::Tensor ownership;  // undefined where the network has none
};

struct Losses {
  torch::Tensor total, policy, value, auxiliary;  // scalars
};

Losses compute_losses(const NetOutput& output, const Targets& targets, double value_weight, double auxiliary_weight);

}  // namespace koridor
