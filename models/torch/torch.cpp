#include "models/torch/torch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "core/base/error.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint = "build it with LibTorch (cmake -DKORIDOR_TRAINER=ON), or use another backend";

fs::path module_path() {
  if (const char* path = std::getenv("KORIDOR_TORCH_MODULE")) return path;
  return fs::read_symlink("/proc/self/exe").parent_path() / "koridor-torch.so";
}

struct Module {
  decltype(&koridor_torch_gpus) gpus = nullptr;
  decltype(&koridor_torch_device) device = nullptr;
};

Module load() {
  const std::string path = module_path().string();
  if (!fs::exists(path))
    throw UserError(fmt::format("the backend torch needs {}, which is not there: {}", path, kHint));
  // OpenBLAS, which LibTorch may bring, would start a thread a core as soon as it is loaded.
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

// Loaded at the first call that succeeds, and never unloaded: LibTorch does not take that.
const Module& module() {
  static const Module loaded = load();
  return loaded;
}

}  // namespace

std::vector<int> torch_devices(const std::string& name) {
  const int gpus = module().gpus();
  if (name == "cpu" || (name == "auto" && gpus == 0)) return {kCpu};
  if (name == "auto" || name == "cuda") {
    if (gpus == 0) throw UserError("device cuda: LibTorch finds no GPU here; use auto or cpu");
    std::vector<int> all(static_cast<std::size_t>(gpus));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  int number = -1;
  const std::string_view digits = name.starts_with("cuda:") ? std::string_view(name).substr(5) : std::string_view();
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || end.ptr != digits.data() + digits.size() || number < 0) {
    throw UserError(fmt::format("unknown device \"{}\"; there are auto, cpu, cuda and cuda:NUMBER", name));
  }
  if (number >= gpus)
    throw UserError(fmt::format("device {}: LibTorch finds {} GPUs here, counted from 0", name, gpus));
  return {number};
}

std::unique_ptr<BatchDevice> make_torch_device(const TorchDeviceRequest& request) {
  std::string error;
  std::unique_ptr<BatchDevice> device(module().device(request, error));
  if (device == nullptr) throw UserError("the backend torch cannot run here: " + error);
  return device;
}

}  // namespace koridor
