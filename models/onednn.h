// The fast backend for x86 CPUs: oneDNN's convolutions in f32, bf16 or int8.
#pragma once

#include <memory>

#include "models/backends.h"
#include "models/check.h"
#include "models/onednn_network.h"

namespace koridor {

// Whether this CPU computes with bf16 (avx512_bf16 or AMX), and with int8 faster than with others (VNNI or AMX).
bool onednn_has_bf16();
bool onednn_has_int8();

// `model` fits `shape` (require_fits). Precision::automatic is int8 where the CPU has instructions for it and the model
// is calibrated, else bf16 where it has those, else f32. A model that in int8 is too far from itself in f32, on the
// positions it holds, or that was never calibrated, is served in bf16 or f32; unless `automatic` was asked for of a model
// without calibration, a line on standard error says so. One that only our own convolutions take too far is served in
// int8 with oneDNN's.
// Throws UserError where bf16 is asked for and the CPU has none (oneDNN would emulate it, slower than f32).
std::unique_ptr<Evaluator> make_onednn(const Model& model, const EncodingShape& shape, Precision precision,
                                       int max_batch);

// int8 against f32 on the positions of model.calibration, which is not empty.
Differences int8_differences(const Model& model, const EncodingShape& shape, Int8Blocks blocks);

}  // namespace koridor
