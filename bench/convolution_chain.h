// The limit against which the backend onednn is measured: the trunk's convolutions one after the other and nothing else
// (no input, pooling, heads or output), with one oneDNN call per layer and batch.
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

// `precision` is f32, bf16 or int8. The layout of activations is the faster one of oneDNN's choice and its fast
// layout of this CPU (models/cpu/onednn_cpu.h); of int8 it is oneDNN's. Our own kernels (Winograd's transform, the
// matrix unit) may be faster than the chain. Returns null in a build without oneDNN.
std::unique_ptr<ConvolutionChain> make_convolution_chain(const EncodingShape& shape, const NetworkConfig& network,
                                                         Precision precision, int batch);

}  // namespace koridor::bench
