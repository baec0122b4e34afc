// LibTorch, for GPUs and, for comparison, the CPU, where oneDNN is faster. It is in a module that is loaded on demand:
// koridor-torch.so beside the executable, or the file that the environment variable KORIDOR_TORCH_MODULE names.
#pragma once

#include <memory>
#include <vector>

#include "models/network/backend.h"
#include "models/network/device.h"
#include "models/torch/torch_module.h"

namespace koridor {

// The devices that `device` means on this machine (gpus_of); kCpu alone for the CPU. Throws UserError if the module
// cannot be loaded or a GPU is missing.
std::vector<int> torch_devices(const Device& device);

// Batches of each of the GPUs that threads share.
struct GpuBatches {
  int rows = 0;    // of a batch: those of one thread or of several together, as far as a GPU gains by larger batches
  int places = 0;  // batches that are filled, under way or read at the same time
};
GpuBatches gpu_batches(const ThreadBatches& batches, std::size_t gpus);

// Throws UserError with LibTorch's message if it cannot run on the device. `request.model` fits `request.shape`.
std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request);

}  // namespace koridor
