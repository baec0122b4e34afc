#include "train/learner/losses.h"

namespace koridor {
namespace {

torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& target) {
  return -(target * at::log_softmax(logits, 1)).sum() / logits.size(0);
}

}  // namespace

Losses compute_losses(const NetOutput& output, const Targets& targets, double value_weight, double auxiliary_weight) {
  Losses losses;
  losses.policy = cross_entropy(output.policy + targets.legal, targets.policy);
  losses.value = cross_entropy(output.value, targets.value);
  losses.auxiliary = at::binary_cross_entropy_with_logits(output.auxiliary, targets.auxiliary);
  if (output.ownership.defined()) {
    losses.auxiliary = losses.auxiliary + at::binary_cross_entropy_with_logits(output.ownership, targets.ownership);
  }
  losses.total = losses.policy + value_weight * losses.value + auxiliary_weight * losses.auxiliary;
  return losses;
}

}  // namespace koridor
