// A network's convolutions for oneDNN: which there are, with which weights, in which units. Used by the backend onednn
// only.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

#include "models/cpu/onednn_convolution.h"
#include "models/network/model_file.h"

namespace koridor {

// A convolution of the network with its weights as its primitives want them.
struct Layer {
  Convolution convolution;
  dnnl::memory weight;
  dnnl::memory bias;
};

// Stem, first and second of each block, heads; for these batch sizes (falling, the last one 1), with activations of
// `type`: f32, bf16 or u8. Their layout is fast_layout(type); the heads' convolution writes f32.
std::vector<Layer> make_layers(const dnnl::engine& engine, const Model& model, const EncodingShape& shape,
                               dnnl::memory::data_type type, std::span<const int> sizes);

}  // namespace koridor
