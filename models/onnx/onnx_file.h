// A model as an ONNX file, which other programs compute without Koridor's code (docs/onnx.md).
#pragma once

#include <string>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "models/onnx/network_graph.h"

namespace koridor {

// The file's bytes, with all that a front end has to know of `game` in its metadata. The model fits the game. Throws
// UserError where int8 is asked for without a calibration, or where this build has no koridor-onnx.so.
std::string onnx_file(const Model& model, const AnyGame& game, const OnnxOptions& options, const std::string& where);

}  // namespace koridor
