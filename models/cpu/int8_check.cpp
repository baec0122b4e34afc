#include "models/cpu/int8_check.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "core/base/notice.h"

namespace koridor {
namespace {

// How far int8 may be from f32 on the model's positions before it is not used.
constexpr double kMostDivergence = 0.02;       // mean Kullback-Leibler divergence of the policies, nats
constexpr double kMostValueDifference = 0.02;  // mean difference of the probabilities of outcomes

}  // namespace

OwnPositions::OwnPositions(const Model& model, const EncodingShape& shape)
    : positions(calibration_positions(model, shape)),
      policy(static_cast<std::size_t>(positions.size * positions.shape.policy_size())),
      value(static_cast<std::size_t>(positions.size * positions.shape.value_size())) {}

Differences differences(Evaluator& candidate, OwnPositions& expected) {
  OwnPositions actual(expected);
  candidate.evaluate(actual.positions.batch(), actual.predictions());
  Differences found;
  add_differences(expected.positions.shape, expected.positions.size, expected.predictions(), actual.predictions(),
                  found);
  return found;
}

bool near_enough(const Differences& found) {
  return found.mean_divergence() <= kMostDivergence && found.value.mean() <= kMostValueDifference;
}

std::string too_far(const Differences& found) {
  return fmt::format(
      "it is too far from f32 on the model's own positions (mean KL {:.2g}, at most {:.2g} allowed; value by {:.2g}, "
      "at most {:.2g})",
      found.mean_divergence(), kMostDivergence, found.value.mean(), kMostValueDifference);
}

void say_int8_is_not_used(const std::string& where, const std::string& why, Precision instead) {
  const std::string line = fmt::format("{}: int8 is not used: {}; {} is used instead", where, why, name_of(instead));
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) notice(line);
}

}  // namespace koridor
