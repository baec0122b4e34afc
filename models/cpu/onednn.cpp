#include "models/cpu/onednn.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_network.h"
#include "models/network/check.h"

namespace koridor {
namespace {

// How far int8 may be from f32 on the model's positions before it is not used.
constexpr double kMostDivergence = 0.02;       // mean Kullback-Leibler divergence of the policies, nats
constexpr double kMostValueDifference = 0.02;  // mean difference of the probabilities of outcomes

// A model is prepared many times, for every search for slots or match of a rating: what is to be said is said once.
void warn_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) fmt::print(stderr, "koridor: {}\n", line);
}

Precision half_or_single() {
  return cpu_has_bf16() ? Precision::bf16 : Precision::f32;
}

std::string name_of(Precision precision) {
  return precision == Precision::bf16 ? "bf16" : "f32";
}

bool near_enough(const Differences& found) {
  return found.mean_divergence() <= kMostDivergence && found.value.mean() <= kMostValueDifference;
}

std::string too_far(const Differences& found) {
  return fmt::format(
      "it is too far from f32 on the model's own positions (mean KL {:.2g}, at most {:.2g} allowed; value by {:.2g}, "
      "at "
      "most {:.2g})",
      found.mean_divergence(), kMostDivergence, found.value.mean(), kMostValueDifference);
}

// The model's own positions with memory for their results.
struct OwnPositions {
  CalibrationPositions positions;
  std::vector<float> policy, value;

  OwnPositions(const Model& model, const EncodingShape& shape)
      : positions(calibration_positions(model, shape)),
        policy(static_cast<std::size_t>(positions.size * positions.shape.policy_size())),
        value(static_cast<std::size_t>(positions.size * positions.shape.value_size())) {}
  Predictions predictions() { return {policy, value, {}}; }
};

Differences differences(Evaluator& candidate, OwnPositions& expected) {
  OwnPositions actual(expected);
  candidate.evaluate(actual.positions.batch(), actual.predictions());
  Differences found;
  add_differences(expected.positions.shape, expected.positions.size, expected.predictions(), actual.predictions(),
                  found);
  return found;
}

template <class Make>
auto with_advice(const Make& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    throw UserError(fmt::format("the backend onednn cannot run here: {}; use the backend eigen", error.what()));
  }
}

}  // namespace

bool onednn_has_bf16() {
  return cpu_has_bf16();
}
bool onednn_has_int8() {
  return cpu_has_int8();
}

PreparedOnednn::PreparedOnednn(const Model& model, const EncodingShape& shape, Precision wanted)
    : model_(model), shape_(shape), precision_(wanted) {
  if (wanted == Precision::bf16 && !cpu_has_bf16()) {
    throw UserError(
        fmt::format("this CPU ({}) has no bf16 instructions (avx512_bf16): use precision f32 or auto", cpu_name()));
  }
  if (wanted == Precision::f32 || wanted == Precision::bf16) return;
  // The choice of `auto` is silent: a model without calibration, or a CPU without the instructions, is nothing unusual.
  if (wanted == Precision::automatic && (model.calibration.empty() || !cpu_has_int8())) {
    precision_ = half_or_single();
    return;
  }
  with_advice([&] { choose_int8(); });
}

void PreparedOnednn::choose_int8() {
  const auto otherwise = [&](const std::string& why) {
    precision_ = half_or_single();
    warn_once(fmt::format("int8 is not used: {}; {} is used instead", why, name_of(precision_)));
  };
  if (model_.calibration.empty()) {
    otherwise("the model holds no calibration (models of generation 0 have none)");
    return;
  }
  precision_ = Precision::int8;
  OwnPositions own(model_, shape_);
  const EncodingShape& board = own.positions.shape;
  const NetworkConfig& network = model_.info.network;
  const bool pays = int8_network_pays(board, network) && int8_network_pays(shape_, network);
  TransformedLimits limits(board, network);
  evaluate_and_observe(model_, board, own.positions.batch(), own.predictions(),
                       [&](int activation, std::span<const float> values) {
                         if (pays) limits.observe(activation, values);
                       });
  if (pays) {
    auto weights = make_int8_weights(model_, board, limits);
    if (near_enough(differences(*make_int8_network(weights, model_, board, own.positions.size), own))) {
      weights_ = board == shape_ ? std::move(weights) : make_int8_weights(model_, shape_, limits);
      return;
    }
  }
  const auto candidate = make_onednn_network(model_, board, Precision::int8, own.positions.size);
  const Differences found = differences(*candidate, own);
  if (!near_enough(found)) otherwise(too_far(found));
}

std::unique_ptr<Evaluator> PreparedOnednn::make(int max_batch) const {
  if (weights_ != nullptr) return make_int8_network(weights_, model_, shape_, max_batch);
  return with_advice([&] { return make_onednn_network(model_, shape_, precision_, max_batch); });
}

}  // namespace koridor
