// The backend that runs on GPUs: LibTorch, in a module loaded on demand (koridor-torch.so, beside the executable, or
// where the environment variable KORIDOR_TORCH_MODULE says). On a CPU it works too, for comparison; oneDNN is faster.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/torch/torch_module.h"

namespace koridor {

// The devices a name means: "cpu"; "cuda", every GPU; "cuda:1", that GPU; "auto", every GPU, or the CPU where there is
// none. Throws UserError where the module cannot be loaded or a GPU is not there.
std::vector<int> torch_devices(const std::string& name);

// Throws UserError with what LibTorch says where it cannot run there. `request.model` fits `request.shape`.
std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request);

}  // namespace koridor
