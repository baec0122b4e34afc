#include "models/torch/torch_network.h"

#include <string>

namespace koridor {
namespace {

constexpr std::int64_t kSame[] = {1, 1};  // stride, dilation and, for 3x3, padding
constexpr std::int64_t kNone[] = {0, 0};

// A tensor of the model file, copied to the device.
class Loader {
 public:
  Loader(const Model& model, at::Device device) : model_(model), device_(device) {}

  at::Tensor operator()(const std::string& name, std::vector<std::int64_t> shape) const {
    const std::vector<float>& values = model_.tensors.at(name);
    return at::from_blob(const_cast<float*>(values.data()), shape, at::kFloat).to(device_, at::kFloat, false, true);
  }
  std::int64_t size(const std::string& name) const { return static_cast<std::int64_t>(model_.tensors.at(name).size()); }

 private:
  const Model& model_;
  at::Device device_;
};

at::Tensor channels_last(const at::Tensor& weight, at::ScalarType type) {
  return weight.to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

// [batch, channels, rows, columns] -> [batch, 2 * channels]: means over the squares, then maxima.
at::Tensor pool(const at::Tensor& x) {
  return at::cat({x.mean({2, 3}, false, at::kFloat), x.amax({2, 3}).to(at::kFloat)}, 1);
}

}  // namespace

TorchNetwork::TorchNetwork(const Model& model, at::Device device, at::ScalarType type)
    : type_(type),
      policy_channels_(model.info.network.policy_channels),
      value_channels_(model.info.network.value_channels) {
  const Loader load(model, device);
  const auto bias_of = [&](const std::string& name) { return load(name + ".bias", {load.size(name + ".bias")}); };
  const auto convolution = [&](const std::string& name) {
    const std::int64_t outputs = load.size(name + ".bias");
    const std::int64_t inputs = load.size(name + ".weight") / outputs / 9;
    return Convolution{channels_last(load(name + ".weight", {outputs, inputs, 3, 3}), type), bias_of(name).to(type)};
  };
  const auto linear = [&](const std::string& name, std::int64_t outputs, bool with_bias = true) {
    return Linear{load(name + ".weight", {outputs, load.size(name + ".weight") / outputs}),
                  with_bias ? bias_of(name) : at::Tensor()};
  };
  const NetworkConfig& network = model.info.network;
  stem_ = convolution("stem");
  if (model.info.signature.scalars > 0) scalars_ = linear("scalars", network.channels, false);
  for (int i = 0; i < network.blocks; ++i) {
    const std::string name = "blocks." + std::to_string(i);
    blocks_.push_back({convolution(name + ".first"), convolution(name + ".second"), {}});
    if (network.pools(i)) blocks_.back().pool = linear(name + ".pool", network.channels);
  }
  const Linear policy = linear("policy.conv", policy_channels_);
  const Linear value = linear("value.conv", value_channels_);
  const auto as_1x1 = [](const at::Tensor& weight) { return weight.unsqueeze(2).unsqueeze(3); };
  head_ = {channels_last(as_1x1(at::cat({policy.weight, value.weight})), type),
           at::cat({policy.bias, value.bias}).to(type)};
  policy_pool_ = linear("policy.pool", policy_channels_, false);
  policy_pass_ = linear("policy.pass", 1);
  const Linear out = linear("policy.out", model.info.signature.policy_planes);
  policy_out_ = {channels_last(as_1x1(out.weight), at::kFloat), out.bias};
  value_hidden_ = linear("value.hidden", network.value_hidden);
  value_out_ = linear("value.out", model.info.signature.players + 1);
  auxiliary_out_ = linear("auxiliary.out", model.info.signature.players);
}

at::Tensor TorchNetwork::per_channel(const at::Tensor& values) const {
  return values.to(type_).unsqueeze(2).unsqueeze(3);
}

at::Tensor TorchNetwork::convolve_relu(const at::Tensor& x, const Convolution& convolution) const {
  const auto& [weight, bias] = convolution;
  if (fused_) return at::cudnn_convolution_relu(x, weight, bias, kSame, kSame, kSame, 1);
  return at::conv2d(x, weight, bias, kSame, kSame).relu_();
}

at::Tensor TorchNetwork::convolve_add_relu(const at::Tensor& x, const Convolution& convolution,
                                           const at::Tensor& added) const {
  const auto& [weight, bias] = convolution;
  if (fused_) return at::cudnn_convolution_add_relu(x, weight, added, 1.0, bias, kSame, kSame, kSame, 1);
  return at::conv2d(x, weight, bias, kSame, kSame).add_(added).relu_();
}

TorchOutput TorchNetwork::forward(const at::Tensor& planes, const at::Tensor& scalars) const {
  at::Tensor x = planes.to(type_).contiguous(at::MemoryFormat::ChannelsLast);
  x = at::conv2d(x, stem_.weight, stem_.bias, kSame, kSame);
  if (scalars_.weight.defined()) x = x.add_(per_channel(scalars_(scalars)));
  x = x.relu_();
  for (const Block& block : blocks_) {
    at::Tensor y = convolve_relu(x, block.first);
    if (block.pool.weight.defined()) y = y.add_(per_channel(block.pool(pool(y)))).relu_();
    x = convolve_add_relu(y, block.second, x);
  }
  const at::Tensor pooled = pool(x);
  const at::Tensor head = at::conv2d(x, head_.weight, head_.bias, kSame, kNone).to(at::kFloat);

  const at::Tensor p = (head.narrow(1, 0, policy_channels_) + policy_pool_(pooled).unsqueeze(2).unsqueeze(3)).relu_();
  const at::Tensor squares = at::conv2d(p, policy_out_.weight, policy_out_.bias, kSame, kNone).flatten(1);
  const at::Tensor v = head.narrow(1, policy_channels_, value_channels_).relu();
  const at::Tensor hidden = value_hidden_(pool(v)).relu_();
  return {at::cat({squares, policy_pass_(pooled)}, 1).contiguous(), value_out_(hidden).softmax(1),
          auxiliary_out_(hidden).sigmoid()};
}

}  // namespace koridor
