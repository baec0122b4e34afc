#include "models/heads.h"

#include <algorithm>
#include <cmath>

namespace koridor {

Linear::Linear(std::span<const float> weight, std::span<const float> bias, int outputs)
    : outputs_(outputs),
      inputs_(static_cast<int>(weight.size()) / outputs),
      transposed_(weight.size()),
      bias_(bias.begin(), bias.end()) {
  bias_.resize(static_cast<std::size_t>(outputs));
  for (int output = 0; output < outputs_; ++output) {
    for (int input = 0; input < inputs_; ++input) {
      transposed_[input * outputs_ + output] = weight[output * inputs_ + input];
    }
  }
}

void Linear::apply(const float* x, float* y) const {
  std::copy(bias_.begin(), bias_.end(), y);
  const float* weight = transposed_.data();
  for (int input = 0; input < inputs_; ++input, weight += outputs_) {
    const float scale = x[input];
    for (int output = 0; output < outputs_; ++output) y[output] += scale * weight[output];
  }
}

Heads::Heads(const Model& model, const EncodingShape& shape)
    : players_(shape.players), activation_(static_cast<std::size_t>(model.info.network.value_hidden)) {
  const auto linear = [&](const std::string& name, int outputs, bool bias = true) {
    return Linear(model.tensors.at(name + ".weight"),
                  bias ? std::span<const float>(model.tensors.at(name + ".bias")) : std::span<const float>(), outputs);
  };
  policy_pool_ = linear("policy.pool", model.info.network.policy_channels, false);
  pass_ = linear("policy.pass", 1);
  hidden_ = linear("value.hidden", model.info.network.value_hidden);
  value_ = linear("value.out", shape.value_size());
  auxiliary_ = linear("auxiliary.out", shape.players);
}

float Heads::pass(const float* pooled) const {
  float logit = 0.0f;
  pass_.apply(pooled, &logit);
  return logit;
}

void Heads::value(const float* pooled, float* probabilities, float* auxiliary) {
  hidden_.apply(pooled, activation_.data());
  for (float& entry : activation_) entry = std::max(entry, 0.0f);
  value_.apply(activation_.data(), probabilities);
  const float largest = *std::max_element(probabilities, probabilities + players_ + 1);
  float total = 0.0f;
  for (int i = 0; i <= players_; ++i) total += probabilities[i] = std::exp(probabilities[i] - largest);
  for (int i = 0; i <= players_; ++i) probabilities[i] /= total;
  if (auxiliary == nullptr) return;
  auxiliary_.apply(activation_.data(), auxiliary);
  for (int i = 0; i < players_; ++i) auxiliary[i] = 1.0f / (1.0f + std::exp(-auxiliary[i]));
}

}  // namespace koridor
