// The network of models/network/network.h as a graph of ONNX operators.
#pragma once

#include <string>

#include "models/network/model_file.h"
#include "models/onnx/onnx_graph.h"

namespace koridor {

// Operators are taken from this version of ONNX's standard set, the first with a unit for each output channel of
// quantised weights; the file's layout is of this version (IR), which goes with it.
inline constexpr int kOnnxOpset = 13;
inline constexpr int kOnnxIrVersion = 7;

struct OnnxOptions {
  // int8: QuantizeLinear and DequantizeLinear around what our own networks (cpu/simd.cpp and its kin) compute in bytes,
  // with the units of the model's calibration; scalars stay f32.
  bool int8 = false;
  // Rows and columns of the board, or 0 for a file whose every call chooses them.
  int rows = 0;
  int columns = 0;
  int batch = 0;           // positions of each call; 0: every call chooses
  bool all_heads = false;  // also heads that only helped to train, such as ownership
};

// The graph with inputs "planes" and "scalars" (left out where the network has none) and outputs "policy" (logits),
// "value", "auxiliary", then the other heads under their names. `where` names the model. Throws UserError where int8 is
// asked for and the model has no calibration.
OnnxGraph network_graph(const Model& model, const OnnxOptions& options, const std::string& where);

}  // namespace koridor
