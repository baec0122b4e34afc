// LibTorch, and every difference between the versions that Koridor builds with: 1.13 of Debian 12, and 2.x. No other
// file asks for LibTorch's version.
#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/torch.h>
#include <torch/version.h>

namespace koridor {

// While it lives, and if `enabled`, convolutions and matrix products on `device` run in bf16 (autocast) and everything
// else in f32.
class Bf16Scope {
 public:
  explicit Bf16Scope(bool enabled, at::DeviceType device = at::kCPU) : enabled_(enabled), device_(device) {
    if (enabled_) set(true);
  }
  ~Bf16Scope() {
    if (!enabled_) return;
    set(false);
    at::autocast::clear_cache();  // the casts of this step's weights
  }
  Bf16Scope(const Bf16Scope&) = delete;
  Bf16Scope& operator=(const Bf16Scope&) = delete;

 private:
  void set(bool on) const {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(device_, on);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
#else
    if (device_ == at::kCUDA) {
      at::autocast::set_enabled(on);
      at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    } else {
      at::autocast::set_cpu_enabled(on);
      at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    }
#endif
  }

  bool enabled_;
  at::DeviceType device_;
};

}  // namespace koridor
