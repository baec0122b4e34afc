#include "train/learner/nccl_sum.h"

#include <ATen/cuda/CUDAContext.h>

#include <cstdlib>
#include <iterator>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <vector>

#include "core/base/checksum.h"
#include "train/learner/torch_compat.h"

namespace koridor {
namespace {

class Nccl : public NcclSum {
 public:
  Nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, std::chrono::milliseconds silence) {
    // Otherwise a process that was lost would show as the end of this one, with pages of text.
    for (const char* name : {"TORCH_NCCL_BLOCKING_WAIT", "NCCL_BLOCKING_WAIT"}) ::setenv(name, "1", 0);
    const auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = silence;
    const c10::intrusive_ptr<c10d::Store> own = c10::make_intrusive<c10d::PrefixStore>("nccl", store);
    group_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(own, rank, size, options);
  }

  void add_up(at::Tensor& numbers) override {
    std::vector<at::Tensor> tensors{numbers};
    group_->allreduce(tensors)->wait();
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> group_;
};

}  // namespace

std::uint64_t gpu_identity(int gpu) {
  const auto& identity = at::cuda::getDeviceProperties(gpu)->uuid.bytes;
  return Checksum(1).add({std::begin(identity), std::end(identity)}).value();
}

std::unique_ptr<NcclSum> make_nccl_sum(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                       std::chrono::milliseconds silence) {
  return std::make_unique<Nccl>(store, rank, size, silence);
}

}  // namespace koridor
