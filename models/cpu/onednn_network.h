// The network as chains of oneDNN's convolutions; see the source for how it works. Used by the backend onednn (onednn.cpp
// chooses the precision) and the calibration only.
#pragma once

#include <memory>

#include "models/network/calibration.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"

namespace koridor {

// In f32, bf16 or int8, which needs model.calibration; on any CPU oneDNN emulates what it has not.
std::unique_ptr<Evaluator> make_onednn_network(const Model& model, const EncodingShape& shape, Precision precision,
                                               int max_batch);

// The network in f32 on all of these positions; shows every activation.
void evaluate_and_observe(const Model& model, const EncodingShape& shape, const Batch& positions,
                          const Predictions& out, const ActivationObserver& observer);

}  // namespace koridor
