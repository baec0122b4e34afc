// The evaluator of the backend `uniform`, which computes no network.
#pragma once

#include <memory>

#include "models/network/evaluator.h"

namespace koridor {

// All policy logits 0, every value 1/(players + 1).
std::unique_ptr<Evaluator> make_uniform(const EncodingShape& shape, int max_batch);

}  // namespace koridor
