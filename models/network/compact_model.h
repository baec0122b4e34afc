// Model files of a quarter of the size, for pages that load a model over a network. The weights of the 3x3 convolutions
// are bytes with a unit for each output, as int8 has them: an evaluator in int8 gives the same results to the bit, one in
// f32 nearly the same. load_model() reads them as any other.
#pragma once

#include <string>

#include "models/network/model_file.h"

namespace koridor {

// As save_model().
void save_compact_model(const std::string& path, const Model& model);

}  // namespace koridor
