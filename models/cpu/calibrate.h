// Measures a model's calibration (models/network/calibration.h) by running it in f32.
#pragma once

#include <span>

#include "models/network/calibration.h"
#include "models/network/model_file.h"

namespace koridor {

// The range in [0, largest value] whose 255 steps (values above it become its end) give the least mean squared error.
// Positive, also where all values are zero.
float best_range(std::span<const float> values);

// Measures the ranges on all `positions`, and keeps at most kCalibrationPositions of them. The positions are encoded
// with `shape`, which the model fits. Called again it widens the ranges and leaves the positions: for models of several
// boards.
void calibrate(Model& model, const EncodingShape& shape, const Batch& positions);

}  // namespace koridor
