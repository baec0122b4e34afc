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

// The functions that the module exports. None of them throws.
extern "C" {
// module_build() (models/network/module.h) of the module.
const char* koridor_torch_build();
// GPUs that LibTorch can use here.
int koridor_torch_gpus();
// A new device, which the caller owns; null if there is none, and then `error` says why in one line.
BatchDevice* koridor_torch_device(const TorchDeviceRequest& request, std::string& error);
}

}  // namespace koridor
