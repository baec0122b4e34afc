#include "train/learner/net.h"

#include <algorithm>
#include <cmath>

#include "train/learner/global_pool.h"

namespace koridor {
namespace {

constexpr double kNormMomentum = 0.1;  // weight of a batch in the running statistics

// A view into a flat buffer with the entry's shape; 3x3 weights lie channels-last.
torch::Tensor view_of(const torch::Tensor& flat, const ParameterEntry& entry) {
  const std::vector<std::int64_t> shape(entry.shape.begin(), entry.shape.end());
  const auto part = flat.narrow(0, static_cast<std::int64_t>(entry.offset), static_cast<std::int64_t>(entry.size()));
  if (!entry.is_3x3()) return part.view(shape);
  return part.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2});
}

std::span<float> span_of(const torch::Tensor& flat) {
  return {flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())};
}

torch::Tensor convolve_1x1(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return at::conv2d(x, weight.unsqueeze(2).unsqueeze(3), bias);
}

torch::Tensor per_square(const torch::Tensor& channels) {
  return channels.unsqueeze(2).unsqueeze(3);
}

}  // namespace

Net::Net(const NetworkConfig& config, const NetworkSignature& signature, torch::Device device)
    : layout_(parameter_layout(config, signature)) {
  flat_parameters_ = torch::zeros({static_cast<std::int64_t>(layout_.parameter_count)}, device);
  build(config, signature);
}

Net::Net(const NetworkConfig& config, const NetworkSignature& signature, const Net& parameters_of)
    : layout_(parameter_layout(config, signature)), flat_parameters_(parameters_of.flat_parameters_) {
  build(config, signature);
}

void Net::build(const NetworkConfig& config, const NetworkSignature& signature) {
  flat_gradients_ = torch::zeros_like(flat_parameters_);
  flat_statistics_ = torch::zeros({static_cast<std::int64_t>(layout_.statistic_count)}, flat_parameters_.device());

  stem_ = normalised("stem");
  scalars_ = linear("scalars", false);
  for (int i = 0; i < config.blocks; ++i) {
    const std::string name = "blocks." + std::to_string(i);
    blocks_.push_back({normalised(name + ".first"), normalised(name + ".second"), {}});
    if (config.pools(i)) blocks_.back().pool = linear(name + ".pool");
  }
  policy_conv_ = linear("policy.conv");
  policy_pool_ = linear("policy.pool", false);
  value_conv_ = linear("value.conv");
  value_hidden_ = linear("value.hidden");
  for (const Head& head : signature.heads) {
    heads_.push_back({head, linear(head.name + ".out"), {}});
    if (head.extent == Extent::actions) heads_.back().pass = linear(head.name + ".pass");
  }
}

std::span<float> Net::parameters_buffer() {
  return span_of(flat_parameters_);
}
std::span<float> Net::gradients_buffer() {
  return span_of(flat_gradients_);
}
std::span<float> Net::statistics_buffer() {
  return span_of(flat_statistics_);
}

torch::Tensor Net::parameter(const std::string& name) {
  const ParameterEntry& entry = layout_.parameter(name);
  torch::Tensor values = view_of(flat_parameters_, entry).detach();
  values.set_requires_grad(true);
  values.mutable_grad() = view_of(flat_gradients_, entry);
  std::string key = name;
  std::ranges::replace(key, '.', '_');  // LibTorch keeps dots for submodules
  return register_parameter(key, values);
}

torch::Tensor Net::statistic(const std::string& name) {
  return view_of(flat_statistics_, layout_.statistic(name));
}

Net::NormalisedConvolution Net::normalised(const std::string& name) {
  return {parameter(name + ".weight"), parameter(name + ".scale"), parameter(name + ".shift"),
          statistic(name + ".mean"), statistic(name + ".variance")};
}

Net::Linear Net::linear(const std::string& name, bool with_bias) {
  return {parameter(name + ".weight"), with_bias ? parameter(name + ".bias") : torch::Tensor()};
}

torch::Tensor Net::apply(NormalisedConvolution& convolution, const torch::Tensor& x) {
  auto& [weight, scale, shift, mean, variance] = convolution;
  const torch::Tensor y = at::conv2d(x, weight, {}, 1, 1);
  if (fitting_) {
    // The layer computes scale * (y - mean) / deviation + shift. Mean and variance become the batch's own.
    const torch::Tensor factor = scale / (variance + kNormEpsilon).sqrt();
    const torch::Tensor batch_mean = y.mean({0, 2, 3});
    const torch::Tensor batch_variance = y.var({0, 2, 3}, false);
    shift.add_(factor * (batch_mean - mean));
    scale.copy_(factor * (batch_variance + kNormEpsilon).sqrt());
    mean.copy_(batch_mean);
    variance.copy_(batch_variance);
  }
  return at::batch_norm(y, scale, shift, mean, variance, is_training(), kNormMomentum, kNormEpsilon, y.is_cuda());
}

NetOutput Net::forward(const torch::Tensor& planes, const torch::Tensor& scalars) {
  torch::Tensor x = (apply(stem_, planes) + per_square(at::linear(scalars, scalars_.weight))).relu_();
  for (Block& block : blocks_) {
    torch::Tensor y = apply(block.first, x).relu_();
    if (block.pool.weight.defined()) {
      y = (y + per_square(at::linear(global_pool(y), block.pool.weight, block.pool.bias))).relu_();
    }
    x = (apply(block.second, y) + x).relu_();
  }
  const torch::Tensor pooled = global_pool(x);

  const torch::Tensor p =
      (convolve_1x1(x, policy_conv_.weight, policy_conv_.bias) + per_square(at::linear(pooled, policy_pool_.weight)))
          .relu_();
  const torch::Tensor v = convolve_1x1(x, value_conv_.weight, value_conv_.bias).relu_();
  const torch::Tensor hidden = at::linear(global_pool(v), value_hidden_.weight, value_hidden_.bias).relu_();

  NetOutput output;
  for (const auto& [head, out, pass] : heads_) {
    torch::Tensor logits;
    if (head.extent == Extent::actions) {
      logits =
          at::cat({convolve_1x1(p, out.weight, out.bias).flatten(1), at::linear(pooled, pass.weight, pass.bias)}, 1);
    } else if (head.extent == Extent::squares) {
      logits = convolve_1x1(v, out.weight, out.bias).flatten(1);
    } else {
      logits = at::linear(hidden, out.weight, out.bias);
    }
    output.heads.push_back(logits.to(torch::kFloat));
  }
  return output;
}

void Net::fit_statistics(const torch::Tensor& planes, const torch::Tensor& scalars) {
  const torch::NoGradGuard no_grad;
  const bool was_training = is_training();
  eval();
  fitting_ = true;
  forward(planes, scalars);
  fitting_ = false;
  train(was_training);
}

}  // namespace koridor
