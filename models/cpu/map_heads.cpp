#include "models/cpu/map_heads.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace koridor {

HeadConvolution head_convolution(const Model& model) {
  const NetworkConfig& network = model.info.network;
  const HeadChannels channels(network);
  const auto tensor = [&](const char* name) -> const std::vector<float>& { return model.tensors.at(name); };
  HeadConvolution joined{tensor("policy.conv.weight"), tensor("policy.conv.bias")};
  joined.weight.resize(static_cast<std::size_t>(channels.policy * network.channels));
  joined.bias.resize(static_cast<std::size_t>(channels.policy));
  const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(joined.weight, tensor("value.conv.weight"));
  append(joined.bias, tensor("value.conv.bias"));
  return joined;
}

MapHeads::MapHeads(const Model& model, const EncodingShape& shape, const BlockedLayout& map)
    : shape_(shape),
      network_(model.info.network),
      channels_(network_),
      map_(map),
      heads_(model, shape),
      policy_weight_(static_cast<std::size_t>(shape.policy_planes * channels_.policy)),
      policy_bias_(model.tensors.at("policy.out.bias")),
      added_(static_cast<std::size_t>(channels_.total())),
      pooled_(static_cast<std::size_t>(2 * network_.value_channels)) {
  const std::vector<float>& weight = model.tensors.at("policy.out.weight");
  for (int plane = 0; plane < shape.policy_planes; ++plane) {
    std::copy_n(weight.begin() + plane * network_.policy_channels, network_.policy_channels,
                policy_weight_.begin() + plane * channels_.policy);
  }
}

void MapHeads::run(const float* pooled, float* head, int number, const Predictions& out) {
  float* policy = out.policy.data() + number * shape_.policy_size();
  policy[shape_.policy_size() - 1] = heads_.policy(pooled, added_.data());
  add_relu(map_, added_.data(), head);  // now p, and behind it v
  write_logits(head, policy);
  pool(map_, head, channels_.policy, network_.value_channels, pooled_.data());
  heads_.value(pooled_.data(), out.value.data() + number * shape_.value_size(),
               out.auxiliary.empty() ? nullptr : out.auxiliary.data() + number * shape_.players);
}

// logits [policy_planes, area] = policy.out . p
void MapHeads::write_logits(const float* p, float* logits) const {
  const int groups = channels_.policy / kLanes;
  for (int plane = 0; plane < shape_.policy_planes; ++plane, logits += shape_.area()) {
    const float* weight = policy_weight_.data() + plane * channels_.policy;
    const float bias = policy_bias_[static_cast<std::size_t>(plane)];
    for (int square = 0; square < shape_.area(); square += kLanes) {
      const int count = std::min(kLanes, shape_.area() - square);
      Lanes sums[kLanes] = {};
      for (int group = 0; group < groups; ++group) {
        const Lanes factor = load(weight + group * kLanes);
        const float* from = p + map_.at(group) + square * map_.block;
        if (count == kLanes) {
#pragma GCC unroll 8
          for (int i = 0; i < kLanes; ++i) sums[i] += load(from + i * map_.block) * factor;
        } else {
          for (int i = 0; i < count; ++i) sums[i] += load(from + i * map_.block) * factor;
        }
      }
      const Lanes results = sums_of(sums) + bias;
      std::memcpy(logits + square, &results, sizeof(float) * static_cast<std::size_t>(count));
    }
  }
}

}  // namespace koridor
