// A model as a TorchScript file, for LibTorch and PyTorch. This header does not include LibTorch.
#pragma once

#include <string>

#include "models/network/model_file.h"

namespace koridor {

// How far the file's outputs are from those of our f32 evaluator.
struct TorchScriptCheck {
  int positions = 0;
  double policy = 0.0;  // largest difference of logits, of probabilities, of auxiliary numbers
  double value = 0.0;
  double auxiliary = 0.0;
};

inline constexpr double kTorchScriptTolerance = 1e-4;

// Writes `out`, whose method forward(planes, scalars) returns (policy, value, auxiliary) as models/network/evaluator.h
// has them. The texts of models/network/front_end.h are in the extra file "koridor.json". The file is loaded again and
// computed on random positions of the model's game before it gets its name; where an output is further than
// kTorchScriptTolerance from ours, std::runtime_error is thrown and no file is left. `where` names the model.
TorchScriptCheck export_torchscript(const Model& model, const std::string& out, const std::string& where);

}  // namespace koridor
