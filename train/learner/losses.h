// The training loss: the sum over the heads of weight * loss, where each loss is a mean over the batch.
//   softmax heads   cross-entropy between target and softmax; the policy's softmax is over the legal actions, and its
//                   mean over the samples that have a policy
//   sigmoid heads   binary cross-entropy between target, in [0, 1], and sigmoid; also a mean over the head's numbers
// Weight decay is not part of the loss: it is the optimiser's.
#pragma once

#include <span>
#include <vector>

#include "train/learner/net.h"
#include "train/learner/quality.h"
#include "train/targets/targets.h"

namespace koridor {

// The targets as tensors, with the shapes of TrainingBatch.
struct Truths {
  torch::Tensor legal;                 // [batch, policy_size]
  std::vector<torch::Tensor> targets;  // [batch, head_size()], in the order of the heads
  float policy_share = 1.0f;           // TrainingBatch::policy_share, of the whole batch where this is a part of it
};

struct Losses {
  torch::Tensor total;              // a scalar
  std::vector<torch::Tensor> each;  // unweighted scalars, in the order of the heads
};

Losses compute_losses(const NetOutput& output, const Truths& truths, std::span<const Objective> objectives);

// The quality of predictions that are on the CPU, as their truths are. Nothing is added to the graph of gradients.
PredictionQuality quality_of(const NetOutput& output, const Truths& truths);

}  // namespace koridor
