// The interface between koridor and koridor-onnx.so, which holds Debian's ONNX library and Google's protobuf. They are
// a module because LibTorch may bring a protobuf of its own, and because no other command needs them.
#pragma once

#include <string>

#include "models/onnx/onnx_graph.h"

namespace koridor {

// Both sides exchange C++ types, so both must be built from the same sources by the same compiler. This text, which
// must be equal on both sides, tells.
inline std::string onnx_module_build() {
  constexpr int kInterface = 1;
  return "interface " + std::to_string(kInterface) + ", " + std::to_string(sizeof(OnnxGraph)) + " " +
         std::to_string(sizeof(OnnxNode)) + " " + std::to_string(sizeof(OnnxTensor)) + ", ABI " +
         std::to_string(_GLIBCXX_USE_CXX11_ABI) + ", compiler " + __VERSION__;
}

// The functions that the module exports. None of them throws.
extern "C" {
// onnx_module_build() of the module.
const char* koridor_onnx_build();
// The bytes of an ONNX file of the graph, which ONNX's checker and its strict shape inference have passed. False where
// they have not, and then `error` says why.
bool koridor_onnx_file(const OnnxGraph& graph, std::string& content, std::string& error);
}

}  // namespace koridor
