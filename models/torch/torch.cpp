#include "models/torch/torch.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/base/address_space.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "models/network/module.h"

namespace koridor {
namespace {

// A GPU gains a tenth by batches of twice the size, and less than it loses while all threads wait for one batch
// (bench/FIGURES.md, "On a GPU").
constexpr int kLargestGpuBatch = 1024;
constexpr int kFewestPlaces = 4;  // one is filled, two or more are under way, one is read

void prepare() {
  if (const std::string shortage = libtorch_shortage(); !shortage.empty()) throw UserError(shortage);
  // OpenBLAS, which LibTorch may bring, would start one thread per core as soon as it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
}
constexpr ModuleKind kTorch = {
    .file = "koridor-torch.so",
    .variable = "KORIDOR_TORCH_MODULE",
    .build = "koridor_torch_build",
    .user = "the backend torch",
    .hint = "build it with LibTorch (cmake -DKORIDOR_TRAINER=ON), or use another backend",
    .prepare = prepare,
};

struct TorchFunctions {
  decltype(&koridor_torch_gpus) gpus = nullptr;
  decltype(&koridor_torch_device) device = nullptr;
};

TorchFunctions load() {
  const Module module(kTorch);
  return {module.function<decltype(&koridor_torch_gpus)>("koridor_torch_gpus"),
          module.function<decltype(&koridor_torch_device)>("koridor_torch_device")};
}

// The module is loaded at the first call that succeeds. It is never unloaded, which LibTorch does not support.
const TorchFunctions& torch() {
  static const TorchFunctions loaded = load();
  return loaded;
}

}  // namespace

std::vector<int> torch_devices(const Device& device) {
  const std::vector<int> gpus = gpus_of(device, torch().gpus(), "LibTorch");
  return gpus.empty() ? std::vector{kCpu} : gpus;
}

GpuBatches gpu_batches(const ThreadBatches& batches, std::size_t gpus) {
  const int threads = (batches.threads + static_cast<int>(gpus) - 1) / static_cast<int>(gpus);
  const int joined = std::clamp(kLargestGpuBatch / batches.rows, 1, threads);
  const int under_way = (2 * threads + joined - 1) / joined;  // a thread has two tickets
  return {.rows = joined * batches.rows, .places = std::max(kFewestPlaces, under_way + 2)};
}

std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request) {
  // A CPU without these instructions would emulate them, slower than f32.
  if (request.device == kCpu && request.precision == Precision::bf16 && !machine_has(CpuFeature::avx512_bf16)) {
    throw UserError("this CPU has no bf16 instructions (avx512_bf16): use precision f32 or auto");
  }
  std::string error;
  std::unique_ptr<BatchDevice> device(torch().device(request, error));
  if (device == nullptr) throw UserError("the backend torch cannot run here: " + error);
  return device;
}

}  // namespace koridor
