#include "models/cpu/heads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

#include "models/cpu/lanes.h"

namespace koridor {
namespace {

std::vector<float> joined(std::vector<float> first, const std::vector<float>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The sums of `Tiles` times kLanes outputs, whose weights [Tiles, inputs, kLanes] begin at `weight`. Four sums of each
// lie side by side, since an addition waits for the one before it.
template <int Tiles>
inline void sum_up(const float* weight, const float* bias, int inputs, const float* x, Lanes (&results)[Tiles]) {
  Lanes sums[Tiles][4] = {};
  for (int tile = 0; tile < Tiles; ++tile) sums[tile][0] = load(bias + tile * kLanes);
  const int stride = inputs * kLanes;
  int input = 0;
  for (; input + 4 <= inputs; input += 4, weight += 4 * kLanes) {
#pragma GCC unroll 2
    for (int tile = 0; tile < Tiles; ++tile) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) sums[tile][i] += x[input + i] * load(weight + tile * stride + i * kLanes);
    }
  }
  for (; input < inputs; ++input, weight += kLanes) {
    for (int tile = 0; tile < Tiles; ++tile) sums[tile][0] += x[input] * load(weight + tile * stride);
  }
  for (int tile = 0; tile < Tiles; ++tile) {
    results[tile] = (sums[tile][0] + sums[tile][1]) + (sums[tile][2] + sums[tile][3]);
  }
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
  const auto weight = [&](int output) { return weight_.data() + output * inputs_; };
  int output = 0;
  for (; output + 2 * kLanes <= outputs_; output += 2 * kLanes) {
    Lanes sums[2];
    sum_up(weight(output), bias_.data() + output, inputs_, x, sums);
    store(sums[0], y + output);
    store(sums[1], y + output + kLanes);
  }
  for (; output < outputs_; output += kLanes) {
    Lanes sum[1];
    sum_up(weight(output), bias_.data() + output, inputs_, x, sum);
    const int count = std::min(kLanes, outputs_ - output);
    std::memcpy(y + output, &sum[0], sizeof(float) * static_cast<std::size_t>(count));
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
