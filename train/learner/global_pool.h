// Global pooling as one operation with its own backward pass: on a small board, the gradients of LibTorch's mean, amax
// and cat take as long as a convolution.
#pragma once

#include "train/learner/torch_compat.h"

namespace koridor {

// x [batch, channels, rows, columns] (float32 or bfloat16) -> [batch, 2 * channels]: the means over the squares, then
// the maxima. The gradient of a maximum goes to the first square that has it. On a GPU, LibTorch's own operations are
// used, which divide that gradient equally among the squares that have the maximum.
torch::Tensor global_pool(const torch::Tensor& x);

}  // namespace koridor
