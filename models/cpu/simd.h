// The networks of the backend simd, for tests: make_evaluator serves in f32 what it finds too inexact in int8.
#pragma once

#include <memory>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"

namespace koridor {

// In f32 or int8; for int8 the model is calibrated. The evaluator does not need the model afterwards.
std::unique_ptr<Evaluator> make_simd_network(const Model& model, const EncodingShape& shape, Precision precision,
                                             int max_batch);

}  // namespace koridor
