// The limit the evaluator onednn is measured against: the trunk's convolutions one after the other and nothing else, no
// input, pooling, heads or output, each batch as one oneDNN call a layer.
#pragma once

#include <memory>

#include "core/game.h"
#include "models/backends.h"
#include "models/network/network.h"

namespace koridor::bench {

class ConvolutionChain {
 public:
  // In f32, bf16 or int8. The layout of activations is the faster of the one oneDNN chooses and blocks of 16 channels.
  ConvolutionChain(const EncodingShape& shape, const NetworkConfig& network, Precision precision, int batch);
  ~ConvolutionChain();

  void run();  // on one thread

 private:
  struct Chain;
  std::unique_ptr<Chain> chain_;
};

}  // namespace koridor::bench
