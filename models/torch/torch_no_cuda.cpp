// Replaces torch_cuda.cpp if LibTorch has no CUDA.
#include <stdexcept>

#include "models/torch/torch_device.h"

namespace koridor {

int cuda_gpus() {
  return 0;
}

std::unique_ptr<BatchDevice> make_torch_cuda_device(const TorchDeviceRequest&) {
  throw std::runtime_error("this LibTorch has no CUDA");
}

}  // namespace koridor
