#include "models/onednn.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <set>
#include <vector>

#include "core/error.h"
#include "models/check.h"
#include "models/onednn_cpu.h"
#include "models/onednn_network.h"

namespace koridor {
namespace {

// How far int8 may be from f32 on the model's positions before it is not used.
constexpr double kMostDivergence = 0.02;       // mean Kullback-Leibler divergence of the policies, nats
constexpr double kMostValueDifference = 0.02;  // mean difference of the probabilities of outcomes

// Every thread makes its evaluator of the same model: what is to be said is said once.
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

// What a network is computed with.
struct Choice {
  Precision precision;
  Int8Blocks blocks = Int8Blocks::fastest;
};

bool near_enough(const Differences& found) {
  return found.mean_divergence() <= kMostDivergence && found.value.mean() <= kMostValueDifference;
}

Choice otherwise(const std::string& why) {
  warn_once(fmt::format("int8 is not used: {}; {} is used instead", why, name_of(half_or_single())));
  return {half_or_single()};
}

Choice choose_int8(const Model& model, const EncodingShape& shape) {
  if (model.calibration.empty()) return otherwise("the model holds no calibration (models of generation 0 have none)");
  if (near_enough(int8_differences(model, shape, Int8Blocks::fastest))) return {Precision::int8};
  const Differences found = int8_differences(model, shape, Int8Blocks::onednn);
  if (near_enough(found)) return {Precision::int8, Int8Blocks::onednn};
  return otherwise(fmt::format(
      "it is too far from f32 on the model's own positions (mean KL {:.2g}, at most {:.2g} allowed; value by "
      "{:.2g}, at most {:.2g})",
      found.mean_divergence(), kMostDivergence, found.value.mean(), kMostValueDifference));
}

Choice choose(const Model& model, const EncodingShape& shape, Precision wanted) {
  if (wanted == Precision::bf16 && !cpu_has_bf16()) {
    throw UserError(
        fmt::format("this CPU ({}) has no bf16 instructions (avx512_bf16): use precision f32 or auto", cpu_name()));
  }
  if (wanted == Precision::f32 || wanted == Precision::bf16) return {wanted};
  // The choice of `auto` is silent: a model without calibration, or a CPU without the instructions, is nothing unusual.
  if (wanted == Precision::automatic && (model.calibration.empty() || !cpu_has_int8())) return {half_or_single()};
  return choose_int8(model, shape);
}

}  // namespace

bool onednn_has_bf16() {
  return cpu_has_bf16();
}
bool onednn_has_int8() {
  return cpu_has_int8();
}

Differences int8_differences(const Model& model, const EncodingShape& shape, Int8Blocks blocks) {
  const CalibrationPositions positions = calibration_positions(model, shape);
  const auto check = make_check(make_onednn_network(model, positions.shape, Precision::f32, positions.size),
                                make_onednn_network(model, positions.shape, Precision::int8, positions.size, blocks));
  std::vector<float> policy(static_cast<std::size_t>(positions.size * positions.shape.policy_size()));
  std::vector<float> value(static_cast<std::size_t>(positions.size * positions.shape.value_size()));
  check->evaluate(positions.batch(), {policy, value, {}});
  return *check_differences(*check);
}

std::unique_ptr<Evaluator> make_onednn(const Model& model, const EncodingShape& shape, Precision precision,
                                       int max_batch) {
  try {
    const Choice choice = choose(model, shape, precision);
    return make_onednn_network(model, shape, choice.precision, max_batch, choice.blocks);
  } catch (const dnnl::error& error) {
    throw UserError(fmt::format("the backend onednn cannot run here: {}; use the backend eigen", error.what()));
  }
}

}  // namespace koridor
