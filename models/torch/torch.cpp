#include "models/torch/torch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/address_space.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/modules.h"

namespace koridor {
namespace {

// A GPU gains a tenth by batches of twice the size, and less than it loses while all threads wait for one batch
// (bench/FIGURES.md, "On a GPU").
constexpr int kLargestGpuBatch = 1024;
constexpr int kFewestPlaces = 4;  // one is filled, two or more are under way, one is read
constexpr const char* kHint = "build it with LibTorch (cmake -DKORIDOR_TRAINER=ON), or use another backend";

struct Module {
  decltype(&koridor_torch_gpus) gpus = nullptr;
  decltype(&koridor_torch_device) device = nullptr;
};

Module load() {
  const std::string path = module_path("koridor-torch.so", "KORIDOR_TORCH_MODULE").string();
  if (!std::filesystem::exists(path))
    throw UserError(fmt::format("the backend torch needs {}, which is not there: {}", path, kHint));
  if (const std::string shortage = libtorch_shortage(); !shortage.empty()) throw UserError(shortage);
  // OpenBLAS, which LibTorch may bring, would start one thread per core as soon as it is loaded.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UserError(fmt::format("cannot load {}: {}; {}", path, ::dlerror(), kHint));
  const auto symbol = [&](const char* name) { return ::dlsym(library, name); };
  const auto build = reinterpret_cast<decltype(&koridor_torch_build)>(symbol("koridor_torch_build"));
  if (build == nullptr || build() != torch_module_build()) {
    throw UserError(
        fmt::format("{} was built from other sources or by another compiler than this program: build both "
                    "again (this: {}; that: {})",
                    path, torch_module_build(), build == nullptr ? "no module of Koridor" : build()));
  }
  return {reinterpret_cast<decltype(&koridor_torch_gpus)>(symbol("koridor_torch_gpus")),
          reinterpret_cast<decltype(&koridor_torch_device)>(symbol("koridor_torch_device"))};
}

// The module is loaded at the first call that succeeds. It is never unloaded, which LibTorch does not support.
const Module& module() {
  static const Module loaded = load();
  return loaded;
}

}  // namespace

std::vector<int> torch_devices(const Device& device) {
  const std::vector<int> gpus = gpus_of(device, module().gpus(), "LibTorch");
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
  std::unique_ptr<BatchDevice> device(module().device(request, error));
  if (device == nullptr) throw UserError("the backend torch cannot run here: " + error);
  return device;
}

}  // namespace koridor
