// The heads behind the map of their 1x1 convolutions, for backends that keep maps in blocked layouts.
#pragma once

#include <vector>

#include "models/cpu/blocked.h"
#include "models/cpu/heads.h"
#include "models/network/evaluator.h"

namespace koridor {

// The channels of policy.conv over those of value.conv, each padded to a multiple of 16.
struct HeadChannels {
  int policy;
  int value;
  explicit HeadChannels(const NetworkConfig& network)
      : policy(padded_channels(network.policy_channels)), value(padded_channels(network.value_channels)) {}
  int total() const { return policy + value; }
};

// Both as one 1x1 convolution; the channels of padding are zero.
struct HeadConvolution {
  std::vector<float> weight;  // [padded policy channels + value channels of the network, channels]
  std::vector<float> bias;
};
HeadConvolution head_convolution(const Model& model);

class MapHeads {
 public:
  // `map` is the layout of HeadChannels::total() channels.
  MapHeads(const Model& model, const EncodingShape& shape, const BlockedLayout& map);

  // Computes position `number` of a batch. pooled: pool(x), [2C]. head: the convolution's results, overwritten.
  void run(const float* pooled, float* head, int number, const Predictions& out);

 private:
  void write_logits(const float* p, float* logits) const;

  EncodingShape shape_;
  NetworkConfig network_;
  HeadChannels channels_;
  BlockedLayout map_;
  Heads heads_;
  std::vector<float> policy_weight_;  // policy.out.weight as [policy_planes, padded policy channels]
  std::vector<float> policy_bias_;
  std::vector<float> added_;   // [HeadChannels::total()]
  std::vector<float> pooled_;  // [2 * value channels]
};

}  // namespace koridor
