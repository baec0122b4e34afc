#include "models/cpu/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "models/cpu/onednn_network.h"

namespace koridor {
namespace {

// Values that are looked at, at most: enough to tell ranges apart, few enough to be quick.
constexpr std::size_t kValuesLookedAt = 50'000;
constexpr int kRangesTried = 24;

}  // namespace

SampledValues::SampledValues(std::size_t total)
    // Odd, so that it has no factor in common with a block of channels.
    : stride_(total / kValuesLookedAt * 2 + 1) {
  sampled_.reserve(total / stride_ + 1);
}

void SampledValues::add(std::span<const float> values) {
  if (values.empty()) return;
  largest_ = std::max(largest_, *std::ranges::max_element(values));
  for (; next_ < values.size(); next_ += stride_) sampled_.push_back(values[next_]);
  next_ -= values.size();
}

float SampledValues::best_range() const {
  if (!(largest_ > 1000 * kLeastRange)) return 1.0f;  // as good as 0
  float best = largest_;
  double least = INFINITY;
  for (int i = 0; i < kRangesTried; ++i) {
    const float range = largest_ * static_cast<float>(kRangesTried - i) / kRangesTried;
    const float step = range / 255.0f;
    double error = 0.0;
    for (const float value : sampled_) {
      const float rounded = std::min(std::nearbyint(value / step), 255.0f) * step;
      const double difference = value - rounded;
      error += difference * difference;
    }
    if (error < least) {
      least = error;
      best = range;
    }
  }
  return best;
}

void calibrate(Model& model, const EncodingShape& shape, const Batch& positions) {
  Calibration& calibration = model.calibration;
  const auto count = static_cast<std::size_t>(positions.size);
  std::vector<std::optional<SampledValues>> seen(static_cast<std::size_t>(network_activations(model.info.network)));
  const auto see = [&](int activation, std::span<const float> values) {
    std::optional<SampledValues>& all = seen[static_cast<std::size_t>(activation)];
    if (!all) all.emplace(values.size() * count);
    all->add(values);
  };
  std::vector<float> policy(count * static_cast<std::size_t>(shape.policy_size()));
  std::vector<float> values(count * static_cast<std::size_t>(shape.value_size()));
  evaluate_and_observe(model, shape, positions, {policy, values, {}}, see);
  std::vector<float> ranges;
  for (const std::optional<SampledValues>& all : seen) ranges.push_back(all ? all->best_range() : 1.0f);
  const bool first = calibration.empty();
  if (!first) {
    std::ranges::transform(ranges, calibration.ranges, calibration.ranges.begin(),
                           [](float a, float b) { return std::max(a, b); });
    return;
  }
  calibration.ranges = ranges;
  calibration.rows = shape.rows;
  calibration.columns = shape.columns;
  const auto kept = static_cast<std::size_t>(std::min(positions.size, kCalibrationPositions));
  const auto plane_floats = kept * static_cast<std::size_t>(shape.plane_floats());
  calibration.planes.resize(plane_floats);
  std::ranges::transform(positions.planes.first(plane_floats), calibration.planes.begin(), [&](float value) {
    return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value * 255.0f), 0.0f, 255.0f));
  });
  const auto scalars = positions.scalars.first(kept * static_cast<std::size_t>(shape.scalars));
  calibration.scalars.assign(scalars.begin(), scalars.end());
}

}  // namespace koridor
