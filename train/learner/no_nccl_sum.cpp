// Where LibTorch has no NCCL.
#include "train/learner/nccl_sum.h"

namespace koridor {

std::uint64_t gpu_identity(int) {
  return 0;
}

std::unique_ptr<NcclSum> make_nccl_sum(const c10::intrusive_ptr<c10d::Store>&, int, int, std::chrono::milliseconds) {
  return nullptr;
}

}  // namespace koridor
