// The units of activation maps: what 1 of a map's numbers stands for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "models/network/calibration.h"
#include "models/network/model_file.h"

namespace koridor {

// The unit of planes alone in bytes, as they lie in [0, 1].
inline constexpr float kPlaneUnit = 1.0f / 255.0f;

// The unit of the input in bytes where planes and scalars share it. The range that suits the many numbers of the planes
// best may leave out the few scalars, and a stock of walls beyond it would look like one at its end. So the unit covers
// what the calibration's positions have, and a quarter more, since other positions have more. 1, which most numbers of
// planes are, stays a whole number of units.
inline float shared_input_unit(const Calibration& calibration) {
  constexpr float kMargin = 1.25f;
  float range = calibration.ranges[0];
  for (const float scalar : calibration.scalars) range = std::max(range, scalar > 1.0f ? kMargin * scalar : scalar);
  return range > 1.0f ? 1.0f / std::max(std::floor(255.0f / range), 1.0f) : range / 255.0f;
}

// All are 1 unless the maps are bytes. Those of the input are above: a backend shows the network planes alone, and adds
// what the scalars do behind the stem, or both together. The unit of every other map is a 255th of its range.
class Units {
 public:
  explicit Units(const Model& model, bool bytes = true)
      : units_(static_cast<std::size_t>(network_activations(model.info.network)), 1.0f) {
    if (!bytes) return;
    planes_ = kPlaneUnit;
    planes_and_scalars_ = shared_input_unit(model.calibration);
    for (std::size_t i = 1; i < units_.size(); ++i) units_[i] = model.calibration.ranges[i] / 255.0f;
  }
  float planes() const { return planes_; }
  float planes_and_scalars() const { return planes_and_scalars_; }
  float x(int block) const { return of_block(block, 2); }  // behind the block; -1: behind the stem
  float y(int block) const { return of_block(block, 0); }
  float pooled(int block) const { return of_block(block, 1); }

 private:
  float of_block(int block, int which) const {
    return units_[static_cast<std::size_t>(2 + kBlockActivations * block + which)];
  }
  std::vector<float> units_;  // in the order of the network's activations (calibration.h), of which the first is unused
  float planes_ = 1.0f;
  float planes_and_scalars_ = 1.0f;
};

}  // namespace koridor
