// Measures a model's calibration (models/network/calibration.h) by running it in f32.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/network/calibration.h"
#include "models/network/model_file.h"

namespace koridor {

// An activation's values on many positions, of which enough are kept to tell ranges apart: all of fewer than 50,000,
// and 16,000 to 34,000 of more, so that networks and boards of any size can be calibrated.
class SampledValues {
 public:
  explicit SampledValues(std::size_t total);  // of all values that will be added

  void add(std::span<const float> values);
  // The range in [0, largest value] whose 255 steps give the least mean squared error; values above the range become
  // its end. Positive even if all values are zero.
  float best_range() const;

 private:
  std::size_t stride_;
  std::size_t next_ = 0;  // the next one to keep, counted from the next one to be added
  float largest_ = 0;
  std::vector<float> sampled_;
};

// Measures the ranges on all `positions` and keeps at most kCalibrationPositions of them. They are encoded with
// `shape`, which the model fits. Further calls, with positions of the same board or of others, widen the ranges where
// theirs are wider, and leave the positions.
void calibrate(Model& model, const EncodingShape& shape, const Batch& positions);

}  // namespace koridor
