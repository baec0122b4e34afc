#include "models/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "models/cpu/eigen.h"
#include "models/cpu/onednn.h"
#include "models/server/evaluation_server.h"
#include "models/torch/torch.h"

namespace koridor {
namespace {

constexpr std::array<std::pair<const char*, Backend>, 4> kBackends = {
    {{"uniform", Backend::uniform}, {"eigen", Backend::eigen}, {"onednn", Backend::onednn}, {"torch", Backend::torch}}};
constexpr std::array<std::pair<const char*, Precision>, 4> kPrecisions = {
    {{"auto", Precision::automatic}, {"f32", Precision::f32}, {"bf16", Precision::bf16}, {"int8", Precision::int8}}};

constexpr int kLargestGpuBatch = 8192;

template <class Names>
auto parse(const Names& names, const std::string& name, const char* what) {
  std::vector<std::string> choices;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    choices.push_back(text);
  }
  const std::string near = nearest(name, choices);
  throw UserError(fmt::format("unknown {} \"{}\"{}; there are {}", what, name,
                              near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(choices, ", ")));
}

// One server a board and GPU, made when the first thread asks; threads are shared out to them in turn.
class GpuEvaluators {
 public:
  GpuEvaluators(std::shared_ptr<const Model> model, const EvaluatorOptions& options, const std::string& where,
                int threads, const std::vector<int>& devices)
      : shared_(std::make_shared<Shared>(std::move(model), options, where, threads, devices)) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    const std::lock_guard lock(shared_->mutex);
    Board& board = servers_of(shape);
    return connect(board.servers[board.next++ % board.servers.size()], max_batch);
  }

 private:
  struct Board {
    EncodingShape shape;
    std::vector<std::shared_ptr<EvaluationServer>> servers{};  // one a GPU
    std::size_t next = 0;
  };
  struct Shared {
    Shared(std::shared_ptr<const Model> model_, const EvaluatorOptions& options_, const std::string& where_,
           int threads_, const std::vector<int>& devices_)
        : model(std::move(model_)), options(options_), where(where_), threads(threads_), devices(devices_) {}

    std::shared_ptr<const Model> model;
    EvaluatorOptions options;
    std::string where;
    int threads;
    std::vector<int> devices;
    std::mutex mutex;
    std::vector<Board> boards;
  };

  Board& servers_of(const EncodingShape& shape) const {
    for (Board& board : shared_->boards) {
      if (board.shape == shape) return board;
    }
    require_fits(shared_->model->info, {}, shape, shared_->where);
    validate(*shared_->model, shared_->where);
    const int capacity = gpu_batch(shared_->options.max_batch, shared_->threads, shared_->devices.size());
    Board board{.shape = shape};
    for (const int device : shared_->devices) {
      board.servers.push_back(std::make_shared<EvaluationServer>(
          make_torch_device({*shared_->model, shape, shared_->options.precision, device, capacity})));
    }
    return shared_->boards.emplace_back(std::move(board));
  }

  std::shared_ptr<Shared> shared_;  // of all copies
};

// What onednn prepares of a model is prepared once a board, by the thread that asks first.
class OnednnEvaluators {
 public:
  OnednnEvaluators(std::shared_ptr<const Model> model, Precision precision, const std::string& where)
      : shared_(std::make_shared<Shared>(std::move(model), precision, where)) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    return prepared(shape).make(max_batch);
  }

 private:
  struct Shared {
    Shared(std::shared_ptr<const Model> model_, Precision precision_, const std::string& where_)
        : model(std::move(model_)), precision(precision_), where(where_) {}

    std::shared_ptr<const Model> model;
    Precision precision;
    std::string where;
    std::mutex mutex;
    std::vector<std::pair<EncodingShape, std::unique_ptr<const PreparedOnednn>>> boards;
  };

  const PreparedOnednn& prepared(const EncodingShape& shape) const {
    const std::lock_guard lock(shared_->mutex);
    for (const auto& [board, prepared] : shared_->boards) {
      if (board == shape) return *prepared;
    }
    const Model& model = *shared_->model;
    require_fits(model.info, {}, shape, shared_->where);
    validate(model, shared_->where);
    auto made = std::make_unique<const PreparedOnednn>(model, shape, shared_->precision);
    return *shared_->boards.emplace_back(shape, std::move(made)).second;
  }

  std::shared_ptr<Shared> shared_;  // of all copies
};

// Throws UserError where the backend does not compute in the precision on any machine.
void require_precision(const EvaluatorOptions& options) {
  const bool in_f32 = options.precision == Precision::f32 || options.precision == Precision::automatic;
  if (options.backend == Backend::eigen && !in_f32) {
    throw UserError("the backend eigen computes in f32 only: use precision f32 or auto");
  }
  if (options.backend == Backend::torch && options.precision == Precision::int8) {
    throw UserError("the backend torch has no int8: use precision auto, bf16 or f32");
  }
}

}  // namespace

int gpu_batch(int max_batch, int threads, std::size_t gpus) {
  const int threads_each = (threads + static_cast<int>(gpus) - 1) / static_cast<int>(gpus);
  return std::min(threads_each * ((max_batch + 1) / 2), kLargestGpuBatch);
}

Backend parse_backend(const std::string& name) {
  return parse(kBackends, name, "backend");
}
Precision parse_precision(const std::string& name) {
  return parse(kPrecisions, name, "precision");
}

std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape,
                                          const EvaluatorOptions& options, const std::string& where) {
  require_precision(options);
  require_fits(model.info, {}, shape, where);
  validate(model, where);
  if (options.max_batch < 1) throw UserError(fmt::format("max_batch is {}, expected at least 1", options.max_batch));
  switch (options.backend) {
    case Backend::uniform:
      return make_uniform(shape, options.max_batch);
    case Backend::eigen:
      return make_eigen(model, shape, options.max_batch);
    case Backend::onednn:
      return PreparedOnednn(model, shape, options.precision).make(options.max_batch);
    case Backend::torch: {
      const int device = torch_devices(options.device).front();
      auto made = make_torch_device({model, shape, options.precision, device, options.max_batch});
      return connect(std::make_shared<EvaluationServer>(std::move(made)), options.max_batch);
    }
  }
  throw UserError("unknown backend");
}

EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const EvaluatorOptions& options,
                                        const std::string& where, int threads) {
  require_precision(options);
  if (options.backend == Backend::torch) {
    const std::vector<int> devices = torch_devices(options.device);
    if (devices.front() != kCpu) return GpuEvaluators(std::move(model), options, where, threads, devices);
  }
  if (options.backend == Backend::onednn) return OnednnEvaluators(std::move(model), options.precision, where);
  return [=](const EncodingShape& shape, int max_batch) {
    EvaluatorOptions mine = options;
    mine.max_batch = max_batch;
    return make_evaluator(*model, shape, mine, where);
  };
}

}  // namespace koridor
