#include "models/cpu/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "models/cpu/onednn_network.h"

namespace koridor {
namespace {

// Values that are looked at: enough to tell ranges apart, few enough to be quick.
constexpr std::size_t kValuesLookedAt = 50'000;
constexpr int kRangesTried = 24;

}  // namespace

float best_range(std::span<const float> values) {
  const float largest = values.empty() ? 0.0f : *std::ranges::max_element(values);
  if (!(largest > 0.0f)) return 1.0f;
  // The stride has no factor in common with usual numbers of channels and squares.
  const std::size_t stride = values.size() / kValuesLookedAt * 2 + 1;
  float best = largest;
  double least = INFINITY;
  for (int i = 0; i < kRangesTried; ++i) {
    const float range = largest * static_cast<float>(kRangesTried - i) / kRangesTried;
    const float step = range / 255.0f;
    double error = 0.0;
    for (std::size_t at = 0; at < values.size(); at += stride) {
      const float rounded = std::min(std::nearbyint(values[at] / step), 255.0f) * step;
      const double difference = values[at] - rounded;
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
  std::vector<float> ranges(static_cast<std::size_t>(network_activations(model.info.network)));
  const auto keep = [&](int activation, std::span<const float> values) {
    ranges[static_cast<std::size_t>(activation)] = best_range(values);
  };
  const auto count = static_cast<std::size_t>(positions.size);
  std::vector<float> policy(count * static_cast<std::size_t>(shape.policy_size()));
  std::vector<float> values(count * static_cast<std::size_t>(shape.value_size()));
  evaluate_and_observe(model, shape, positions, {policy, values, {}}, keep);
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
