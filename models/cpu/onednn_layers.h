// A network's convolutions for oneDNN, with their weights and units. Only the backend onednn uses this.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

#include "models/cpu/onednn_convolution.h"
#include "models/network/model_file.h"

namespace koridor {

// A convolution of the network with its packed weights.
struct Layer {
  Convolution convolution;
  dnnl::memory weight;
  dnnl::memory bias;
};

// The stem, both convolutions of each block and the heads' convolution, for these batch sizes (falling, the last one
// 1). Activations are of `type` (f32, bf16 or u8) in the layout fast_layout(type); the heads' convolution writes f32.
std::vector<Layer> make_layers(const dnnl::engine& engine, const Model& model, const EncodingShape& shape,
                               dnnl::memory::data_type type, std::span<const int> sizes);

}  // namespace koridor
