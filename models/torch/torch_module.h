// The seam between koridor and koridor-torch.so, which holds the backend `torch`: what the one calls in the other.
// LibTorch takes a second and 170 MB to start, so only who asks for that backend loads it.
#pragma once

#include <string>

#include "models/network/model_file.h"
#include "models/network/precision.h"
#include "models/server/batch_device.h"

namespace koridor {

inline constexpr int kCpu = -1;  // a device's number where it is no GPU

struct TorchDeviceRequest {
  const Model& model;  // read while the device is made
  EncodingShape shape;
  Precision precision = Precision::automatic;  // automatic: half precision on a GPU, f32 on a CPU
  int device = kCpu;                           // or the number of a GPU
  int capacity = 64;                           // rows of a batch at most
};

// Both sides are C++ and exchange its types, so both must be built from the same sources by the same compiler: this
// text must be equal.
inline std::string torch_module_build() {
  constexpr int kInterface = 1;
  return "interface " + std::to_string(kInterface) + ", " + std::to_string(sizeof(Model)) + " " +
         std::to_string(sizeof(EncodingShape)) + " " + std::to_string(sizeof(TorchDeviceRequest)) + ", ABI " +
         std::to_string(_GLIBCXX_USE_CXX11_ABI) + ", compiler " + __VERSION__;
}

// What the module exports. None of them throws.
extern "C" {
// torch_module_build() of the module.
const char* koridor_torch_build();
// GPUs that LibTorch can use here.
int koridor_torch_gpus();
// A new device, the caller's own; null: then `error` says why in one line.
BatchDevice* koridor_torch_device(const TorchDeviceRequest& request, std::string& error);
}

}  // namespace koridor
