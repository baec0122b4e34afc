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

// The rows of a batch on each of `gpus` GPUs that the threads share: the batches of all threads of a GPU together, as
// far as a GPU gains by larger ones.
int gpu_batch(const ThreadBatches& batches, std::size_t gpus);

// Throws UserError with LibTorch's message if it cannot run on the device. `request.model` fits `request.shape`.
std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request);

}  // namespace koridor
