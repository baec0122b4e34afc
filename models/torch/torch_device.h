// Batches through a TorchNetwork. Part of the module koridor-torch.so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/torch/torch_module.h"
#include "models/torch/torch_network.h"

namespace koridor {

// forward(planes, scalars): one batch, float32 tensors in the CPU's memory in and out.
using TorchForward = std::function<TorchOutput(const at::Tensor& planes, const at::Tensor& scalars)>;

// LibTorch chooses its algorithms by the batch's size. Of `sizes` those whose results are, to the bit and at every
// place of the batch, the ones of batches of `reference` rows; tried with random numbers. `reference` is among them
// unless its own results depend on the place.
std::vector<int> agreeing_sizes(std::vector<int> sizes, int reference, const EncodingShape& shape,
                                const TorchForward& forward);

// LibTorch's messages go on with a stack trace; the first line says it.
std::string first_line(const std::exception& error);

std::unique_ptr<BatchDevice> make_torch_cpu_device(const TorchDeviceRequest& request);

// In torch_cuda.cpp, or torch_no_cuda.cpp where LibTorch has no CUDA.
int cuda_gpus();
std::unique_ptr<BatchDevice> make_torch_cuda_device(const TorchDeviceRequest& request);

}  // namespace koridor
