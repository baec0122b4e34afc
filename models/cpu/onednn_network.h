// The network as chains of oneDNN's convolutions; the source says how it works. Only the backend onednn (onednn.cpp,
// which chooses the precision) and the calibration use it.
#pragma once

#include <memory>

#include "models/network/calibration.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"
#include "models/network/precision.h"

namespace koridor {

// `precision` is f32, bf16 or int8, which needs model.calibration. oneDNN emulates what a CPU does not have.
std::unique_ptr<Evaluator> make_onednn_network(const Model& model, const EncodingShape& shape, Precision precision,
                                               int max_batch);

// Evaluates all of these positions in f32, one after the other, and calls the observer with every activation of each:
// maps in the layout of blocked.h in fast_blocks(f32).
void evaluate_and_observe(const Model& model, const EncodingShape& shape, const Batch& positions,
                          const Predictions& out, const ActivationObserver& observer);

}  // namespace koridor
