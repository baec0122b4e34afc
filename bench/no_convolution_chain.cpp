// Replaces convolution_chain.cpp in a build without oneDNN.
#include "bench/convolution_chain.h"

namespace koridor::bench {

std::unique_ptr<ConvolutionChain> make_convolution_chain(const EncodingShape&, const NetworkConfig&, Precision, int) {
  return nullptr;
}

}  // namespace koridor::bench
