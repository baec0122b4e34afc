// Batches through a TorchNetwork. Part of the module koridor-torch.so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/torch/torch_module.h"
#include "models/torch/torch_network.h"

namespace koridor {

// forward(planes, scalars) computes one batch; all tensors are float32 in the CPU's memory.
using TorchForward = std::function<TorchOutput(const at::Tensor& planes, const at::Tensor& scalars)>;

// Those of `sizes` whose results equal, to the bit and at every place of the batch, those of batches of `reference`
// rows. LibTorch chooses its algorithms by the batch's size, so this is tried with random numbers. `reference` is among
// the sizes returned unless its own results depend on the place.
std::vector<int> agreeing_sizes(std::vector<int> sizes, int reference, const EncodingShape& shape,
                                const TorchForward& forward);

std::unique_ptr<BatchDevice> make_torch_cpu_device(const TorchDeviceRequest& request);

// In torch_cuda.cpp, or torch_no_cuda.cpp where LibTorch has no CUDA.
int cuda_gpus();
std::unique_ptr<BatchDevice> make_torch_cuda_device(const TorchDeviceRequest& request);

}  // namespace koridor
