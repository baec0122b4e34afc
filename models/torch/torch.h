// The backend that runs on GPUs: LibTorch, in a module loaded on demand (koridor-torch.so, beside the executable, or
// where the environment variable KORIDOR_TORCH_MODULE says). On a CPU it works too, for comparison; oneDNN is faster.
#pragma once

#include <memory>
#include <vector>

#include "models/network/backend.h"
#include "models/network/device.h"
#include "models/torch/torch_module.h"

namespace koridor {

// The devices that are meant here (gpus_of), kCpu alone for the CPU. Throws UserError where the module cannot be loaded
// or a GPU is not there.
std::vector<int> torch_devices(const Device& device);

// Rows of a batch on each of so many GPUs that the threads share: those of all threads of a GPU together, as far as a
// GPU gains by more.
int gpu_batch(const ThreadBatches& batches, std::size_t gpus);

// Throws UserError with what LibTorch says where it cannot run there. `request.model` fits `request.shape`.
std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request);

}  // namespace koridor
