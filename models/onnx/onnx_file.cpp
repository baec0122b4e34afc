#include "models/onnx/onnx_file.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/base/version.h"
#include "models/network/front_end.h"
#include "models/network/learned_rules.h"
#include "models/network/module.h"
#include "models/onnx/onnx_module.h"

namespace koridor {
namespace {

constexpr ModuleKind kOnnx = {.file = "koridor-onnx.so",
                              .variable = "KORIDOR_ONNX_MODULE",
                              .build = "koridor_onnx_build",
                              .user = "the format onnx",
                              .hint = "build it with Debian's libonnx-dev (cmake -DKORIDOR_ONNX=ON)"};

std::string board_text(const OnnxOptions& options) {
  return options.rows > 0 ? fmt::format("{}x{}", options.columns, options.rows) : "any";
}

}  // namespace

std::string onnx_file(const Model& model, const AnyGame& game, const OnnxOptions& options, const std::string& where) {
  Model folded = model;
  fold_learned_rules(folded);  // so that programs without our evaluators may show it any rules
  OnnxGraph graph = network_graph(folded, options, where);
  graph.producer_version = this_build().version;
  graph.text = fmt::format(
      "Koridor's network of {}, generation {}. The inputs are a position as the player to move sees "
      "it; the metadata name planes, scalars and the order of the policy.",
      name_of(game), model.info.generation);
  graph.metadata = front_end_texts(model, game);
  graph.metadata.insert(graph.metadata.begin(), {"format", "koridor-onnx-1"});
  graph.metadata.emplace_back("board", board_text(options));
  graph.metadata.emplace_back("precision", options.int8 ? "int8" : "f32");
  const auto make_file = Module(kOnnx).function<decltype(&koridor_onnx_file)>("koridor_onnx_file");
  std::string content, error;
  if (!make_file(graph, content, error)) throw std::runtime_error("ONNX's checker refuses the graph: " + error);
  return content;
}

}  // namespace koridor
