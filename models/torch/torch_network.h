// The arithmetic of models/network/network.h with LibTorch's operations, for inference on any of its devices. Part of
// the module koridor-torch.so.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "models/network/model_file.h"

namespace koridor {

// As Predictions: float32, contiguous, [batch, policy_size], [batch, players + 1] and [batch, players].
struct TorchOutput {
  at::Tensor policy, value, auxiliary;
};

class TorchNetwork {
 public:
  // Convolutions compute in `type`; pooling and the heads' small layers in float32.
  TorchNetwork(const Model& model, at::Device device, at::ScalarType type);

  // Whether each convolution and the operations that follow it are one call of cuDNN. This is off at first, since cuDNN
  // has no such kernel for some shapes and devices: the caller must try whether forward() throws and its results agree.
  void set_fused(bool fused) { fused_ = fused; }

  // planes [batch, planes, rows, columns], scalars [batch, scalars]; float32 on the device.
  TorchOutput forward(const at::Tensor& planes, const at::Tensor& scalars) const;

 private:
  // weight [out, in, k, k] in `type_`, channels-last; bias [out].
  struct Convolution {
    at::Tensor weight, bias;
  };
  // weight [out, in], bias [out] (undefined: none), float32.
  struct Linear {
    at::Tensor weight, bias;
    at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
  };
  struct Block {
    Convolution first, second;
    Linear pool;  // undefined where the block does not pool
  };

  at::Tensor convolve_relu(const at::Tensor& x, const Convolution& convolution) const;
  at::Tensor convolve_add_relu(const at::Tensor& x, const Convolution& convolution, const at::Tensor& added) const;
  at::Tensor per_channel(const at::Tensor& values) const;

  at::ScalarType type_;
  bool fused_ = false;
  int policy_channels_;
  int value_channels_;
  Convolution stem_;
  Linear scalars_;
  std::vector<Block> blocks_;
  Convolution head_;  // policy.conv over value.conv
  Linear policy_pool_, policy_pass_;
  Convolution policy_out_;  // float32
  Linear value_hidden_, value_out_, auxiliary_out_;
};

}  // namespace koridor
