// The portable reference backend: float32, one position after the other, im2col and Eigen's matrix product (which takes
// its workspace from malloc where it needs more than 128 KiB).
#pragma once

#include <memory>

#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// `model` fits `shape` (require_fits).
std::unique_ptr<Evaluator> make_eigen(const Model& model, const EncodingShape& shape, int max_batch);

}  // namespace koridor
