// Sums of tensors on GPUs by NCCL, for ranks.cpp. This header includes LibTorch.
#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <memory>

namespace at {
class Tensor;
}
namespace c10d {
class Store;
}

namespace koridor {

class NcclSum {
 public:
  virtual ~NcclSum() = default;
  virtual void add_up(at::Tensor& numbers) = 0;
};

// A number that no other GPU of any machine has, for a GPU of this one; 0 where this build has no NCCL.
std::uint64_t gpu_identity(int gpu);

// For processes that train on GPUs of their own: NCCL refuses two on one. Null where this build has no NCCL. Nothing is
// sent before the first sum.
std::unique_ptr<NcclSum> make_nccl_sum(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                       std::chrono::milliseconds silence);

}  // namespace koridor
