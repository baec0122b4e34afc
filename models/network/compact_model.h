// Model files of a third of the size, for pages that load a model over a network. The weights of the 3x3 convolutions
// are bytes with a unit for each output, as the int8 of the backend simd has them, which gives the same results to the
// bit; all other evaluators are as far from the whole model as int8 is. load_model() reads them as any other.
#pragma once

#include <string>

#include "models/network/model_file.h"

namespace koridor {

// As save_model().
void save_compact_model(const std::string& path, const Model& model);

// Whether the model file at the path is a compact one. Throws UserError as load_model().
bool is_compact_model(const std::string& path);

}  // namespace koridor
