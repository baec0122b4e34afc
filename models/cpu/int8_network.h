// The whole network in int8 without oneDNN, for CPUs with AVX-512 VNNI and no matrix unit, and for those with AVX2 and
// neither AVX-512 nor AVX VNNI: 3x3 convolutions by minimal filtering (winograd.h), the heads' 1x1 convolution as a
// product of bytes (int8_kernels.h). The backend onednn (onednn.cpp) uses it after checking each model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/cpu/blocked.h"
#include "models/cpu/int8_kernels.h"
#include "models/network/calibration.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// The kernels for this CPU; null if it has none, or where a matrix unit (amx_network.h) or oneDNN's int8 is faster.
const int8::Kernels* int8_kernels();

// Whether this CPU has kernels, and they take this board and number of channels.
bool int8_network_serves(const EncodingShape& shape, const NetworkConfig& network);
// The same, and minimal filtering pays: it is faster than oneDNN's convolutions.
bool int8_network_pays(const EncodingShape& shape, const NetworkConfig& network);

// The limits of a network's transformed inputs (widen_limits in winograd.h), for each of its activations
// (models/network/calibration.h).
class TransformedLimits {
 public:
  TransformedLimits(const EncodingShape& shape, const NetworkConfig& network);

  // An ActivationObserver: `values` are maps of positions of `shape`, in the layout of evaluate_and_observe().
  void observe(int activation, std::span<const float> values);
  std::span<const float> of(int activation) const { return limits_[static_cast<std::size_t>(activation)]; }

 private:
  int8::Tiles tiles_;
  BlockedLayout layout_;
  std::vector<std::vector<float>> limits_;
};

// A network's weights in bytes. They never change, so that the threads of a program share them.
class Int8Weights;
std::shared_ptr<const Int8Weights> make_int8_weights(const Model& model, const EncodingShape& shape,
                                                     const TransformedLimits& limits);

// `model` and `shape` are those the weights were made of; the model is not needed afterwards.
std::unique_ptr<Evaluator> make_int8_network(std::shared_ptr<const Int8Weights> weights, const Model& model,
                                             const EncodingShape& shape, int max_batch);

}  // namespace koridor
