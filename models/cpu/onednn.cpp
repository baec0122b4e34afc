// The fast backend for x86 CPUs, in f32, bf16 or int8: oneDNN's convolutions (onednn_network.h), or in int8 our own
// where these are faster (amx_network.h, int8_network.h).
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "models/cpu/amx_cpu.h"
#include "models/cpu/amx_network.h"
#include "models/cpu/calibrate.h"
#include "models/cpu/int8_check.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_network.h"
#include "models/network/backend.h"
#include "models/network/guard.h"

namespace koridor {
namespace {

Precision half_or_single() {
  return cpu_has_bf16() ? Precision::bf16 : Precision::f32;
}

template <class Make>
auto with_advice(const Make& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    throw UserError(fmt::format("the backend onednn cannot run here: {}; use another backend", error.what()));
  }
}

// What the evaluators of several threads share: the choice of precision and convolutions, and the weights of our own.
class PreparedOnednn {
 public:
  // The request's model fits `shape` (require_fits); the request lives until the last make(). Precision::automatic
  // means int8 if the CPU has instructions for it and the model is calibrated, else bf16 if the CPU has instructions
  // for that, else f32.
  //
  // A model whose int8 is too far from f32 on the positions it holds is served in bf16 or f32, and a notice
  // (core/base/notice.h) says so. The same happens if int8 was asked for by name and the model is not calibrated. A
  // model that is too far only with our own convolutions is served in int8 with oneDNN's, and the other way round.
  //
  // Throws UserError if bf16 is asked for and the CPU does not have it (oneDNN would emulate it, slower than f32).
  PreparedOnednn(const BackendRequest& request, const EncodingShape& shape);

  // May be called from any thread. The evaluator needs neither the model nor this object afterwards.
  std::unique_ptr<Evaluator> make(int max_batch) const;

 private:
  // Makes evaluators that share the weights of our own convolutions, as long as the model lives.
  using MakeOwn = std::function<std::unique_ptr<Evaluator>(int max_batch)>;

  void choose_int8();
  MakeOwn amx_maker(const EncodingShape& shape) const;
  MakeOwn winograd_maker(const EncodingShape& shape, const TransformedLimits& limits) const;

  const Model& model_;
  const std::string& where_;
  EncodingShape shape_;
  Precision precision_;
  MakeOwn make_own_;  // empty: oneDNN's convolutions
};

PreparedOnednn::PreparedOnednn(const BackendRequest& request, const EncodingShape& shape)
    : model_(*request.model), where_(request.where), shape_(shape), precision_(request.precision) {
  const Precision wanted = request.precision;
  if (wanted == Precision::bf16 && !cpu_has_bf16()) {
    throw UserError(
        fmt::format("this CPU ({}) has no bf16 instructions (avx512_bf16): use precision f32 or auto", cpu_name()));
  }
  if (wanted == Precision::f32 || wanted == Precision::bf16) return;
  // `auto` chooses silently, since a model without calibration or a CPU without the instructions is nothing unusual.
  if (wanted == Precision::automatic && (model_.calibration.empty() || !cpu_has_int8())) {
    precision_ = half_or_single();
    return;
  }
  with_advice([&] { choose_int8(); });
}

void PreparedOnednn::choose_int8() {
  const auto otherwise = [&](const std::string& why) {
    precision_ = half_or_single();
    say_int8_is_not_used(where_, why, precision_);
  };
  if (model_.calibration.empty()) {
    otherwise(kNotCalibrated);
    return;
  }
  precision_ = Precision::int8;
  OwnPositions own(model_, shape_);
  const EncodingShape& board = own.positions.shape;
  const NetworkConfig& network = model_.info.network;
  const bool on_matrix_unit = has_amx();
  const auto on_both = [&](const auto& takes) { return takes(board, network) && takes(shape_, network); };
  const bool winograd_serves = on_both(int8_network_serves);
  TransformedLimits limits(board, network);
  evaluate_and_observe(model_, board, own.positions.batch(), own.predictions(),
                       [&](int activation, std::span<const float> values) {
                         if (winograd_serves) limits.observe(activation, values);
                       });
  if (!are_predictions(board, own.positions.size, own.predictions())) {
    precision_ = half_or_single();  // the network overflows: nothing to compare with, and the guard refuses the model
    return;
  }
  const auto take_own = [&] {
    const auto maker = [&](const EncodingShape& of) {
      return on_matrix_unit ? amx_maker(of) : winograd_maker(of, limits);
    };
    MakeOwn make_on_board = maker(board);
    if (!near_enough(differences(*make_on_board(own.positions.size), own))) return false;
    make_own_ = board == shape_ ? std::move(make_on_board) : maker(shape_);
    return true;
  };
  const bool own_first = on_matrix_unit || on_both(int8_network_pays);
  if (own_first && take_own()) return;
  const auto candidate = make_onednn_network(model_, board, Precision::int8, own.positions.size);
  const Differences found = differences(*candidate, own);
  if (near_enough(found)) return;
  // On CPUs without VNNI oneDNN's weights have seven bits. Ours have eight, and are still faster than f32.
  if (!own_first && winograd_serves && take_own()) return;
  otherwise(too_far(found));
}

PreparedOnednn::MakeOwn PreparedOnednn::amx_maker(const EncodingShape& shape) const {
  return [&model = model_, shape, weights = make_amx_weights(model_, shape)](int max_batch) {
    return make_amx_network(weights, model, shape, max_batch);
  };
}

PreparedOnednn::MakeOwn PreparedOnednn::winograd_maker(const EncodingShape& shape,
                                                       const TransformedLimits& limits) const {
  return [&model = model_, shape, weights = make_int8_weights(model_, shape, limits)](int max_batch) {
    return make_int8_network(weights, model, shape, max_batch);
  };
}

std::unique_ptr<Evaluator> PreparedOnednn::make(int max_batch) const {
  if (make_own_) return make_own_(max_batch);
  return with_advice([&] { return make_onednn_network(model_, shape_, precision_, max_batch); });
}

// A model is prepared once for each board, by the thread that asks first.
class OnednnEvaluators {
 public:
  explicit OnednnEvaluators(const BackendRequest& request) : shared_(std::make_shared<Shared>(request)) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    return prepared(shape).make(max_batch);
  }

 private:
  struct Shared {
    explicit Shared(const BackendRequest& request_) : request(request_) {}

    BackendRequest request;
    std::mutex mutex;
    std::vector<std::pair<EncodingShape, std::unique_ptr<const PreparedOnednn>>> boards;
  };

  const PreparedOnednn& prepared(const EncodingShape& shape) const {
    const std::lock_guard lock(shared_->mutex);
    for (const auto& [board, prepared] : shared_->boards) {
      if (board == shape) return *prepared;
    }
    auto made = std::make_unique<const PreparedOnednn>(shared_->request, shape);
    return *shared_->boards.emplace_back(shape, std::move(made)).second;
  }

  std::shared_ptr<Shared> shared_;  // of all copies
};

std::vector<Precision> precisions_on_this_cpu() {
  std::vector<Precision> precisions = {Precision::f32};
  if (cpu_has_bf16()) precisions.push_back(Precision::bf16);
  if (cpu_has_int8()) precisions.push_back(Precision::int8);
  return precisions;
}

}  // namespace

Backend onednn_backend() {
  return {.name = "onednn",
          .summary = "fast on x86 CPUs",
          .precisions = {Precision::f32, Precision::bf16, Precision::int8},
          .make = [](const BackendRequest& request) -> EvaluatorFactory { return OnednnEvaluators(request); },
          .on_this_cpu = precisions_on_this_cpu,
          .calibrate = calibrate,
          .forget =
              [] {
                // A cache without room drops all of its kernels; those of living evaluators stay with them.
                const int room = dnnl::get_primitive_cache_capacity();
                dnnl::set_primitive_cache_capacity(0);
                dnnl::set_primitive_cache_capacity(room);
              }};
}

}  // namespace koridor
