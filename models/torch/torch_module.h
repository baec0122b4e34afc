// The interface between koridor and koridor-torch.so, which holds LibTorch. Loading it takes a second and 170 MB, so
// that only users of the backend `torch` load it.
#pragma once

#include <string>

#include "models/network/model_file.h"
#include "models/network/precision.h"
#include "models/server/batch_device.h"

namespace koridor {

inline constexpr int kCpu = -1;  // a device's number where it is no GPU

struct TorchDeviceRequest {
  const Model& model;  // only read while the device is made
  EncodingShape shape;
  Precision precision = Precision::automatic;  // automatic: half precision on a GPU, f32 on a CPU
  int device = kCpu;                           // or the number of a GPU
  int capacity = 64;                           // the largest number of rows of a batch
  int places = 4;                              // of a GPU
};

// Both sides exchange C++ types, so both must be built from the same sources by the same compiler. This text, which
// must be equal on both sides, tells.
inline std::string torch_module_build() {
  constexpr int kInterface = 1;
  return "interface " + std::to_string(kInterface) + ", " + std::to_string(sizeof(Model)) + " " +
         std::to_string(sizeof(EncodingShape)) + " " + std::to_string(sizeof(TorchDeviceRequest)) + ", ABI " +
         std::to_string(_GLIBCXX_USE_CXX11_ABI) + ", compiler " + __VERSION__;
}

// The functions that the module exports. None of them throws.
extern "C" {
// torch_module_build() of the module.
const char* koridor_torch_build();
// GPUs that LibTorch can use here.
int koridor_torch_gpus();
// A new device, which the caller owns; null if there is none, and then `error` says why in one line.
BatchDevice* koridor_torch_device(const TorchDeviceRequest& request, std::string& error);
}

}  // namespace koridor
