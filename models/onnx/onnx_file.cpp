#include "models/onnx/onnx_file.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/modules.h"
#include "models/network/front_end.h"
#include "models/network/learned_rules.h"
#include "models/onnx/onnx_module.h"

namespace koridor {
namespace {

constexpr const char* kHint = "build it with Debian's libonnx-dev (cmake -DKORIDOR_ONNX=ON)";

decltype(&koridor_onnx_file) load_module() {
  const std::string path = module_path("koridor-onnx.so", "KORIDOR_ONNX_MODULE").string();
  if (!std::filesystem::exists(path)) {
    throw UserError(fmt::format("the format onnx needs {}, which is not there: {}", path, kHint));
  }
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UserError(fmt::format("cannot load {}: {}; {}", path, ::dlerror(), kHint));
  const auto build = reinterpret_cast<decltype(&koridor_onnx_build)>(::dlsym(library, "koridor_onnx_build"));
  if (build == nullptr || build() != onnx_module_build()) {
    throw UserError(
        fmt::format("{} was built from other sources or by another compiler than this program: build both "
                    "again (this: {}; that: {})",
                    path, onnx_module_build(), build == nullptr ? "no module of Koridor" : build()));
  }
  return reinterpret_cast<decltype(&koridor_onnx_file)>(::dlsym(library, "koridor_onnx_file"));
}

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
      std::visit([](const auto& known) { return known.name(); }, game), model.info.generation);
  graph.metadata = front_end_texts(model, game);
  graph.metadata.insert(graph.metadata.begin(), {"format", "koridor-onnx-1"});
  graph.metadata.emplace_back("board", board_text(options));
  graph.metadata.emplace_back("precision", options.int8 ? "int8" : "f32");
  std::string content, error;
  if (!load_module()(graph, content, error)) throw std::runtime_error("ONNX's checker refuses the graph: " + error);
  return content;
}

}  // namespace koridor
