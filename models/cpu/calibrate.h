// Measures a model's calibration (models/network/calibration.h) by running it in f32.
#pragma once

#include <span>

#include "models/network/calibration.h"
#include "models/network/model_file.h"

namespace koridor {

// The range in [0, largest value] whose 255 steps give the least mean squared error; values above the range become its
// end. Positive even if all values are zero.
float best_range(std::span<const float> values);

// Measures the ranges on all `positions` and keeps at most kCalibrationPositions of them. They are encoded with
// `shape`, which the model fits. For a model of several boards, further calls widen the ranges and leave the positions.
void calibrate(Model& model, const EncodingShape& shape, const Batch& positions);

}  // namespace koridor
