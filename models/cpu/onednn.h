// The fast backend for x86 CPUs, in f32, bf16 or int8: oneDNN's convolutions (onednn_network.h), or in int8 our own
// where these are faster (int8_network.h).
#pragma once

#include <memory>

#include "models/backends.h"

namespace koridor {

// Whether this CPU computes with bf16 (avx512_bf16 or AMX), and with int8 faster than with others (VNNI or AMX).
bool onednn_has_bf16();
bool onednn_has_int8();

class Int8Weights;

// What the evaluators of several threads share: which precision and convolutions it is to be, and the weights of our
// own.
class PreparedOnednn {
 public:
  // `model` fits `shape` (require_fits), and lives until the last make(). Precision::automatic is int8 where the CPU
  // has instructions for it and the model is calibrated, else bf16 where it has those, else f32. A model that in int8
  // is too far from itself in f32, on the positions it holds, or that was never calibrated, is served in bf16 or f32;
  // unless `automatic` was asked for of a model without calibration, a line on standard error says so. One that only
  // our own convolutions take too far is served in int8 with oneDNN's. Throws UserError where bf16 is asked for and the
  // CPU has none (oneDNN would emulate it, slower than f32).
  PreparedOnednn(const Model& model, const EncodingShape& shape, Precision wanted);

  // From any thread; the evaluator no longer needs the model, nor this.
  std::unique_ptr<Evaluator> make(int max_batch) const;

 private:
  void choose_int8();

  const Model& model_;
  EncodingShape shape_;
  Precision precision_;
  std::shared_ptr<const Int8Weights> weights_;  // null: oneDNN's convolutions
};

}  // namespace koridor
