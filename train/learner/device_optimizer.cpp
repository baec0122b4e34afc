#include "train/learner/device_optimizer.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace koridor {
namespace {

torch::Tensor part_of(const torch::Tensor& flat, const HiddenMatrix& matrix) {
  return flat.narrow(0, static_cast<std::int64_t>(matrix.offset), static_cast<std::int64_t>(matrix.size()))
      .view({matrix.rows, matrix.columns});
}

// orthogonalise() of muon.h, for matrices of one shape: [matrices, rows, columns].
torch::Tensor orthogonal(const torch::Tensor& matrices) {
  const bool wide = matrices.size(1) <= matrices.size(2);
  const torch::Tensor norms = matrices.square().sum({1, 2}, true).sqrt_().clamp_min_(1e-30);
  torch::Tensor x = (wide ? matrices : matrices.transpose(1, 2)) / norms;
  const auto& [linear, cubic, fifth] = kNewtonSchulz;
  for (int i = 0; i < kNewtonSchulzSteps; ++i) {
    const torch::Tensor square = x.bmm(x.transpose(1, 2));
    x = linear * x + (cubic * square + fifth * square.bmm(square)).bmm(x);
  }
  return wide ? x : x.transpose(1, 2);
}

// The matrices in groups of one shape and share, so that a GPU computes each group at once.
std::vector<std::vector<HiddenMatrix>> in_groups(std::vector<HiddenMatrix> matrices) {
  const auto kind = [](const HiddenMatrix& matrix) { return std::tuple(matrix.rows, matrix.columns, matrix.share); };
  std::ranges::stable_sort(matrices, {}, kind);
  std::vector<std::vector<HiddenMatrix>> groups;
  for (const HiddenMatrix& matrix : matrices) {
    if (groups.empty() || kind(groups.back().front()) != kind(matrix)) groups.emplace_back();
    groups.back().push_back(matrix);
  }
  return groups;
}

torch::Tensor parts_of(const torch::Tensor& flat, const std::vector<HiddenMatrix>& group) {
  std::vector<torch::Tensor> parts;
  for (const HiddenMatrix& matrix : group) parts.push_back(part_of(flat, matrix));
  return torch::stack(parts);
}

}  // namespace

torch::Tensor to_device(std::span<const float> values, torch::Device device) {
  return torch::from_blob(const_cast<float*>(values.data()), {static_cast<std::int64_t>(values.size())}, torch::kFloat)
      .to(device, torch::kFloat, false, true);
}

std::vector<float> to_host(const torch::Tensor& values) {
  const torch::Tensor host = values.cpu().contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

DeviceOptimizer::DeviceOptimizer(const TrainingConfig& config, const torch::Tensor& parameters, std::size_t decayed,
                                 std::vector<HiddenMatrix> matrices)
    : config_(config),
      kind_(parse_optimizer(config.optimizer)),
      decayed_(static_cast<std::int64_t>(decayed)),
      steps_(torch::zeros({}, parameters.options())),
      first_(torch::zeros_like(parameters)),
      average_(parameters.clone()) {
  if (kind_ == OptimizerKind::sgd) return;
  second_ = torch::zeros_like(parameters);
  if (kind_ != OptimizerKind::muon) matrices.clear();
  const at::IntArrayRef each = matrices.empty() ? at::IntArrayRef() : parameters.sizes();
  first_weight_ = torch::full(each, 1.0 - kBeta1, parameters.options());
  second_weight_ = torch::full(each, 1.0 - kBeta2, parameters.options());
  for (const HiddenMatrix& matrix : matrices) {
    part_of(first_weight_, matrix).fill_(1.0 - kMuonMomentum);
    part_of(second_weight_, matrix).zero_();
  }
  matrices_ = in_groups(std::move(matrices));
}

torch::Tensor DeviceOptimizer::step(const torch::Tensor& parameters, const torch::Tensor& gradients,
                                    double learning_rate, const torch::Tensor& statistics,
                                    const torch::Tensor& average_statistics) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor norm = gradients.norm();
  // Only the device knows whether the gradients are finite, so every change is multiplied by `taken_`.
  taken_ = norm.isfinite().to(torch::kFloat);
  steps_.add_(taken_);
  torch::Tensor scale = taken_;
  if (config_.gradient_clip > 0.0) scale = (config_.gradient_clip / norm).clamp_max(1.0).nan_to_num(0.0) * taken_;
  gradients.nan_to_num_(0.0, 0.0, 0.0).mul_(scale);
  if (kind_ == OptimizerKind::sgd) {
    step_sgd(parameters, gradients, learning_rate);
  } else {
    step_adamw(parameters, gradients, learning_rate);
  }
  const torch::Tensor decay =
      settled_ ? torch::full_like(steps_, config_.ema) : ((steps_ + 1.0) / (steps_ + 10.0)).clamp_max(config_.ema);
  const torch::Tensor towards = (1.0 - decay) * taken_;
  average_.lerp_(parameters, towards);
  // A forward pass that overflowed has spoilt the statistics too; multiplying by 0 would not remove a NaN.
  average_statistics.copy_(at::where(taken_ > 0.0, average_statistics.lerp(statistics, towards), average_statistics));
  gradients.zero_();
  return norm;
}

void DeviceOptimizer::step_adamw(const torch::Tensor& parameters, const torch::Tensor& gradients, double rate) {
  const torch::Tensor steps = steps_.clamp_min(1.0).to(torch::kDouble);
  const torch::Tensor step_size = (rate / (1.0 - at::pow(kBeta1, steps))).to(torch::kFloat) * taken_;
  const torch::Tensor second_scale = (1.0 / (1.0 - at::pow(kBeta2, steps))).to(torch::kFloat);
  first_.lerp_(gradients, first_weight_ * taken_);
  second_.lerp_(gradients * gradients, second_weight_ * taken_);
  const torch::Tensor change = (first_ / (second_ * second_scale).sqrt_().add_(kEpsilon)).mul_(step_size);
  for (const std::vector<HiddenMatrix>& group : matrices_) {
    const torch::Tensor nesterov = parts_of(first_, group).lerp_(parts_of(gradients, group), 1.0 - kMuonMomentum);
    const torch::Tensor step = orthogonal(nesterov).mul_(taken_ * (rate * muon_scale(group.front())));
    for (std::size_t i = 0; i < group.size(); ++i) {
      part_of(change, group[i]).copy_(step[static_cast<std::int64_t>(i)]);
    }
  }
  // As in Optimizer::decay_of(), the decay is a part of the change.
  change.narrow(0, 0, decayed_).addcmul_(parameters.narrow(0, 0, decayed_), taken_ * (rate * config_.weight_decay));
  parameters.sub_(change);
}

void DeviceOptimizer::step_sgd(const torch::Tensor& parameters, const torch::Tensor& gradients, double rate) {
  torch::Tensor change = gradients + (config_.momentum - 1.0) * first_;
  change.narrow(0, 0, decayed_).add_(parameters.narrow(0, 0, decayed_), config_.weight_decay);
  first_.add_(change.mul_(taken_));
  parameters.sub_(first_ * (rate * taken_));
}

OptimizerState DeviceOptimizer::state() const {
  OptimizerState state;
  state.steps = static_cast<std::int64_t>(steps_.item<float>());
  state.first = to_host(first_);
  if (second_.defined()) state.second = to_host(second_);
  state.average = to_host(average_);
  state.settled = settled_;
  return state;
}

void DeviceOptimizer::restore(const OptimizerState& state) {
  const torch::Device device = average_.device();
  steps_ = torch::full({}, static_cast<double>(state.steps), average_.options());
  first_ = to_device(state.first, device);
  if (second_.defined()) second_ = to_device(state.second, device);
  average_ = to_device(state.average, device);
  settled_ = state.settled;
}

}  // namespace koridor
