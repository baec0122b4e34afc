// The fast backend for x86 CPUs: oneDNN's convolutions, in f32 or bf16 with f32 accumulation.
#pragma once

#include <memory>

#include "models/backends.h"

namespace koridor {

// Whether this CPU computes with bf16 (avx512_bf16 or AMX).
bool onednn_has_bf16();

// `model` fits `shape` (require_fits). Precision::automatic is bf16 where the CPU has instructions for it, else f32.
// Throws UserError where bf16 is asked for and the CPU has none (oneDNN would emulate it, slower than f32).
std::unique_ptr<Evaluator> make_onednn(const Model& model, const EncodingShape& shape, Precision precision,
                                       int max_batch);

}  // namespace koridor
