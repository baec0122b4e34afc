// The interface between koridor and koridor-onnx.so, which holds Debian's ONNX library and Google's protobuf. They are
// a module because LibTorch may bring a protobuf of its own, and because no other command needs them.
#pragma once

#include <string>

#include "models/onnx/onnx_graph.h"

namespace koridor {

// The functions that the module exports. None of them throws.
extern "C" {
// module_build() (models/network/module.h) of the module.
const char* koridor_onnx_build();
// The bytes of an ONNX file of the graph, which ONNX's checker and its strict shape inference have passed. False where
// they have not, and then `error` says why.
bool koridor_onnx_file(const OnnxGraph& graph, std::string& content, std::string& error);
}

}  // namespace koridor
