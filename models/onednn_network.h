// The network as chains of oneDNN's convolutions; see the source for how it works. Used by the backend onednn (onednn.h
// chooses the precision) and the calibration only.
#pragma once

#include <memory>

#include "models/backends.h"
#include "models/calibration.h"

namespace koridor {

// Whose convolutions the blocks have in int8: where it pays our own (winograd.h), or always oneDNN's, which are nearer
// to f32.
enum class Int8Blocks { fastest, onednn };

// In f32, bf16 or int8, which needs model.calibration; on any CPU oneDNN emulates what it has not.
std::unique_ptr<Evaluator> make_onednn_network(const Model& model, const EncodingShape& shape, Precision precision,
                                               int max_batch, Int8Blocks blocks = Int8Blocks::fastest);

// Shows every activation of the network, in f32, on all of these positions.
void observe_activations(const Model& model, const EncodingShape& shape, const Batch& positions,
                         const ActivationObserver& observer);

}  // namespace koridor
