// What a program without Koridor's code has to know of a model, as texts: files for other programs carry them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Game, rules and inputs by name, and the order of the outputs, by keys that docs/onnx.md lists. The model fits `game`.
NamedTexts front_end_texts(const Model& model, const AnyGame& game);

}  // namespace koridor
