// The backend torch. Threads share GPUs; on a CPU every thread has a device of its own.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "models/network/backend.h"
#include "models/server/evaluation_server.h"
#include "models/torch/torch.h"

namespace koridor {
namespace {

// One server for each board and GPU, made when the first thread asks; threads are assigned to the GPUs in turn.
class GpuEvaluators {
 public:
  GpuEvaluators(const BackendRequest& request, std::vector<int> gpus)
      : shared_(std::make_shared<Shared>(request, std::move(gpus))) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    const std::lock_guard lock(shared_->mutex);
    Board& board = servers_of(shape);
    return connect(board.servers[board.next++ % board.servers.size()], max_batch);
  }

 private:
  struct Board {
    EncodingShape shape;
    std::vector<std::shared_ptr<EvaluationServer>> servers{};  // one per GPU
    std::size_t next = 0;
  };
  struct Shared {
    Shared(const BackendRequest& request_, std::vector<int> gpus_) : request(request_), gpus(std::move(gpus_)) {}

    BackendRequest request;
    std::vector<int> gpus;
    std::mutex mutex;
    std::vector<Board> boards;
  };

  Board& servers_of(const EncodingShape& shape) const {
    for (Board& board : shared_->boards) {
      if (board.shape == shape) return board;
    }
    const BackendRequest& request = shared_->request;
    const auto [rows, places] = gpu_batches(request.batches, shared_->gpus.size());
    Board board{.shape = shape};
    for (const int gpu : shared_->gpus) {
      board.servers.push_back(std::make_shared<EvaluationServer>(
          make_torch_device({*request.model, shape, request.precision, gpu, rows, places})));
    }
    return shared_->boards.emplace_back(std::move(board));
  }

  std::shared_ptr<Shared> shared_;  // of all copies
};

EvaluatorFactory make(const BackendRequest& request) {
  std::vector<int> devices = torch_devices(request.device);
  if (devices.front() != kCpu) {
    // A GPU without a thread would only take memory.
    devices.resize(std::min(devices.size(), static_cast<std::size_t>(request.batches.threads)));
    return GpuEvaluators(request, std::move(devices));
  }
  return [model = request.model, precision = request.precision](const EncodingShape& shape, int max_batch) {
    auto device = make_torch_device({*model, shape, precision, kCpu, max_batch});
    return connect(std::make_shared<EvaluationServer>(std::move(device)), max_batch);
  };
}

}  // namespace

Backend torch_backend() {
  return {
      .name = "torch", .summary = "LibTorch, on GPUs", .precisions = {Precision::f32, Precision::bf16}, .make = make};
}

}  // namespace koridor
