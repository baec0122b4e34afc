#include "train/learner/losses.h"

namespace koridor {
namespace {

// Rows of `count` distributions, of which the share `known` is not all 0.
torch::Tensor cross_entropy(const torch::Tensor& logits, const torch::Tensor& target, int count, float known) {
  const std::int64_t distributions = logits.size(0) * count;
  return -(target.view({distributions, -1}) * at::log_softmax(logits.view({distributions, -1}), 1)).sum() /
         (static_cast<float>(distributions) * known);
}

}  // namespace

Losses compute_losses(const NetOutput& output, const Truths& truths, std::span<const Objective> objectives) {
  Losses losses;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    const auto& [target, head, weight] = objectives[i];
    const torch::Tensor& logits = output.heads[i];
    if (head.activation == Activation::softmax) {
      losses.each.push_back(target->legal_only() ? cross_entropy(logits + truths.legal, truths.targets[i], head.count,
                                                                 truths.policy_share)
                                                 : cross_entropy(logits, truths.targets[i], head.count, 1.0f));
    } else {
      losses.each.push_back(at::binary_cross_entropy_with_logits(logits, truths.targets[i]));
    }
    const torch::Tensor part = weight == 1.0 ? losses.each.back() : weight * losses.each.back();
    losses.total = i == 0 ? part : losses.total + part;
  }
  return losses;
}

PredictionQuality quality_of(const NetOutput& output, const Truths& truths) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor policy = output.heads[0].contiguous();
  const torch::Tensor value = output.heads[1].contiguous();
  const auto numbers = [](const torch::Tensor& tensor) {
    return std::span(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
  };
  return quality_of({static_cast<int>(policy.size(0)), static_cast<int>(policy.size(1)),
                     static_cast<int>(value.size(1)) - 1, numbers(policy), numbers(truths.legal),
                     numbers(truths.targets[0]), numbers(value), numbers(truths.targets[1])});
}

}  // namespace koridor
