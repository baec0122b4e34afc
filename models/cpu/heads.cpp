#include "models/cpu/heads.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/cpu/lanes.h"

namespace koridor {
namespace {

std::vector<float> joined(std::vector<float> first, const std::vector<float>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Linear::Linear(std::span<const float> weight, std::span<const float> bias)
    : outputs_(static_cast<int>(bias.size())),
      inputs_(static_cast<int>(weight.size() / bias.size())),
      bias_(bias.begin(), bias.end()) {
  const int tiles = (outputs_ + kLanes - 1) / kLanes;
  bias_.resize(static_cast<std::size_t>(tiles * kLanes));
  weight_.resize(bias_.size() * static_cast<std::size_t>(inputs_));
  for (int output = 0; output < outputs_; ++output) {
    for (int input = 0; input < inputs_; ++input) {
      weight_[(output / kLanes * inputs_ + input) * kLanes + output % kLanes] = weight[output * inputs_ + input];
    }
  }
}

void Linear::apply(const float* x, float* y) const {
  const float* weight = weight_.data();
  for (int output = 0; output < outputs_; output += kLanes) {
    // Four sums side by side, since an addition waits for the one before it.
    Lanes sums[4] = {load(bias_.data() + output), {}, {}, {}};
    int input = 0;
    for (; input + 4 <= inputs_; input += 4) {
      for (int i = 0; i < 4; ++i, weight += kLanes) sums[i] += x[input + i] * load(weight);
    }
    for (; input < inputs_; ++input, weight += kLanes) sums[0] += x[input] * load(weight);
    const Lanes sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (output + kLanes <= outputs_) {
      store(sum, y + output);
    } else {
      for (int lane = 0; output + lane < outputs_; ++lane) y[output + lane] = sum[lane];
    }
  }
}

std::vector<Linear> make_pools(const Model& model) {
  std::vector<Linear> pools(static_cast<std::size_t>(model.info.network.blocks));
  for (int block = 0; block < model.info.network.blocks; ++block) {
    if (!model.info.network.pools(block)) continue;
    const std::string name = "blocks." + std::to_string(block) + ".pool";
    pools[static_cast<std::size_t>(block)] =
        Linear(model.tensors.at(name + ".weight"), model.tensors.at(name + ".bias"));
  }
  return pools;
}

Heads::Heads(const Model& model, const EncodingShape& shape)
    : players_(shape.players),
      policy_scores_(static_cast<std::size_t>(model.info.network.policy_channels + 1)),
      activation_(static_cast<std::size_t>(model.info.network.value_hidden)) {
  const auto tensor = [&](const char* name) -> const std::vector<float>& { return model.tensors.at(name); };
  const std::vector<float> no_bias(static_cast<std::size_t>(model.info.network.policy_channels));
  policy_ = Linear(joined(tensor("policy.pool.weight"), tensor("policy.pass.weight")),
                   joined(no_bias, tensor("policy.pass.bias")));
  hidden_ = Linear(tensor("value.hidden.weight"), tensor("value.hidden.bias"));
  outcome_ = Linear(joined(tensor("value.out.weight"), tensor("auxiliary.out.weight")),
                    joined(tensor("value.out.bias"), tensor("auxiliary.out.bias")));
}

float Heads::policy(const float* pooled, float* bias) {
  policy_.apply(pooled, policy_scores_.data());
  std::copy(policy_scores_.begin(), policy_scores_.end() - 1, bias);
  return policy_scores_.back();
}

void Heads::value(const float* pooled, float* probabilities, float* auxiliary) {
  hidden_.apply(pooled, activation_.data());
  for (float& entry : activation_) entry = std::max(entry, 0.0f);
  outcome_.apply(activation_.data(), scores_.data());
  const float largest = *std::max_element(scores_.begin(), scores_.begin() + players_ + 1);
  float total = 0.0f;
  for (int i = 0; i <= players_; ++i) total += probabilities[i] = std::exp(scores_[i] - largest);
  for (int i = 0; i <= players_; ++i) probabilities[i] /= total;
  if (auxiliary == nullptr) return;
  for (int i = 0; i < players_; ++i) auxiliary[i] = 1.0f / (1.0f + std::exp(-scores_[players_ + 1 + i]));
}

}  // namespace koridor
