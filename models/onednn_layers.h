// A network's convolutions for oneDNN: which there are, with which weights, in which units. Used by the backend onednn
// only.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

#include "models/blocked.h"
#include "models/calibration.h"
#include "models/model_file.h"
#include "models/onednn_convolution.h"

namespace koridor {

// policy.conv over value.conv, each filled up to a multiple of 16 channels.
struct HeadChannels {
  int policy;
  int value;
  explicit HeadChannels(const NetworkConfig& network)
      : policy(padded_channels(network.policy_channels)), value(padded_channels(network.value_channels)) {}
  int total() const { return policy + value; }
};

// What 1 of an activation map stands for: of bytes a 255th of the map's range; the name of a map is its place among
// the network's activations (calibration.h).
class Units {
 public:
  Units(const Model& model, dnnl::memory::data_type type) {
    units_.assign(static_cast<std::size_t>(network_activations(model.info.network)), 1.0f);
    if (type != dnnl::memory::data_type::u8) return;
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = model.calibration.ranges[i] / 255.0f;
  }
  float input() const { return units_[0]; }
  float x(int block) const { return of_block(block, 2); }  // behind the block; -1: behind the stem
  float y(int block) const { return of_block(block, 0); }
  float pooled(int block) const { return of_block(block, 1); }

 private:
  float of_block(int block, int which) const {
    return units_[static_cast<std::size_t>(2 + kBlockActivations * block + which)];
  }
  std::vector<float> units_;
};

// A convolution of the network with its weights as its primitives want them.
struct Layer {
  Convolution convolution;
  dnnl::memory weight;
  dnnl::memory bias;
};

// Stem, first and second of each block unless `blocks` is false, heads; for these batch sizes (falling, the last one
// 1), with activations of `type`: f32, bf16 or u8. Their layout is fast_layout(type); the heads' convolution writes
// f32.
std::vector<Layer> make_layers(const dnnl::engine& engine, const Model& model, const EncodingShape& shape,
                               dnnl::memory::data_type type, std::span<const int> sizes, bool blocks);

}  // namespace koridor
