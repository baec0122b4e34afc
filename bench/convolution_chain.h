// The limit the evaluator onednn is measured against: the trunk's convolutions one after the other and nothing else, no
// input, pooling, heads or output, each batch as one oneDNN call a layer.
#pragma once

#include <memory>

#include "core/game.h"
#include "models/network/network.h"
#include "models/network/precision.h"

namespace koridor::bench {

class ConvolutionChain {
 public:
  virtual ~ConvolutionChain() = default;
  virtual void run() = 0;  // on one thread
};

// In f32, bf16 or int8. The layout of activations is the faster of the one oneDNN chooses and blocks of 16 channels.
// Null in a build without oneDNN.
std::unique_ptr<ConvolutionChain> make_convolution_chain(const EncodingShape& shape, const NetworkConfig& network,
                                                         Precision precision, int batch);

}  // namespace koridor::bench
