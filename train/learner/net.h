// The trainable network: the arithmetic of models/network/network.h, with batch normalisation after the convolutions of
// stem and blocks (parameters.h). This header includes LibTorch.
#pragma once

#include <string>
#include <vector>

#include "train/learner/parameters.h"
#include "train/learner/torch_compat.h"

namespace koridor {

struct NetOutput {
  std::vector<torch::Tensor> heads;  // [batch, head_size()] logits, in the order of NetworkSignature::heads
};

class Net : public torch::nn::Module {
 public:
  Net(const NetworkConfig& config, const NetworkSignature& signature, torch::Device device = torch::kCPU);
  // A replica shares the parameters' memory, and has gradients and statistics of its own, so that another thread can
  // work on another part of the batch.
  Net(const NetworkConfig& config, const NetworkSignature& signature, const Net& parameters_of);

  // planes [batch, planes, rows, columns] (channels-last in memory is fastest), scalars [batch, scalars]; float32.
  // Training mode normalises by the batch's statistics and moves the running ones; otherwise the
  // running statistics normalise.
  NetOutput forward(const torch::Tensor& planes, const torch::Tensor& scalars);

  // Sets the running statistics to this batch's, and scales and shifts so that the network computes the same as before.
  // Weights from a model file need this, since their statistics were folded away.
  void fit_statistics(const torch::Tensor& planes, const torch::Tensor& scalars);

  const ParameterLayout& layout() const { return layout_; }
  // The flat arrays on the network's device, of which every parameter, gradient and statistic is a view ...
  const torch::Tensor& parameters_tensor() const { return flat_parameters_; }
  const torch::Tensor& gradients_tensor() const { return flat_gradients_; }
  const torch::Tensor& statistics_tensor() const { return flat_statistics_; }
  // ... and the same as memory, where the device is the CPU.
  std::span<float> parameters_buffer();
  std::span<float> gradients_buffer();
  std::span<float> statistics_buffer();

 private:
  void build(const NetworkConfig& config, const NetworkSignature& signature);

  // A 3x3 convolution and its normalisation.
  struct NormalisedConvolution {
    torch::Tensor weight, scale, shift, mean, variance;
  };
  // One 1x1 convolution or matrix product; weight [out, in], bias [out] or undefined.
  struct Linear {
    torch::Tensor weight, bias;
  };
  struct Block {
    NormalisedConvolution first, second;
    Linear pool;  // undefined where the block does not pool
  };

  torch::Tensor parameter(const std::string& name);
  torch::Tensor statistic(const std::string& name);
  NormalisedConvolution normalised(const std::string& name);
  Linear linear(const std::string& name, bool with_bias = true);
  torch::Tensor apply(NormalisedConvolution& convolution, const torch::Tensor& x);

  ParameterLayout layout_;
  torch::Tensor flat_parameters_;
  torch::Tensor flat_gradients_;
  torch::Tensor flat_statistics_;
  bool fitting_ = false;

  NormalisedConvolution stem_;
  Linear scalars_;
  std::vector<Block> blocks_;
  Linear policy_conv_, policy_pool_, value_conv_, value_hidden_;
  // A head's output layer, and that of the pass for heads of actions.
  struct HeadLayer {
    Head head;
    Linear out, pass;
  };
  std::vector<HeadLayer> heads_;
};

}  // namespace koridor
