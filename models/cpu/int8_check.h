// Whether a model may be served in int8: it is compared with f32 on the positions that it carries, by every backend
// that computes in bytes.
#pragma once

#include <string>
#include <vector>

#include "models/network/calibration.h"
#include "models/network/check.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"

namespace koridor {

// The model's own positions with memory for their results.
struct OwnPositions {
  // The model is calibrated; `shape` is that of any board it serves.
  OwnPositions(const Model& model, const EncodingShape& shape);
  Predictions predictions() { return {policy, value, {}}; }

  CalibrationPositions positions;
  std::vector<float> policy, value;
};

// How far the candidate is from `expected`, which holds the results in f32.
Differences differences(Evaluator& candidate, OwnPositions& expected);

bool near_enough(const Differences& found);
std::string too_far(const Differences& found);  // why it is not

inline constexpr const char* kNotCalibrated = "the model holds no calibration (one that has not learned yet has none)";

// A notice (core/base/notice.h) about the model that `where` names, each once, since a model is prepared many times:
// for each trial of a number of slots and each match.
void say_int8_is_not_used(const std::string& where, const std::string& why, Precision instead);

}  // namespace koridor
