// Global pooling as one operation with its own backward pass: with LibTorch's mean, amax and cat the gradients of a
// small board cost as much as a convolution.
#pragma once

#include "train/learner/torch_compat.h"

namespace koridor {

// x [batch, channels, rows, columns] (float32 or bfloat16) -> [batch, 2 * channels]: the means over the squares, then
// the maxima. The gradient of a maximum goes to the first square that has it. (On a GPU, LibTorch's own operations:
// there the gradient is shared out evenly to the squares that have it.)
torch::Tensor global_pool(const torch::Tensor& x);

}  // namespace koridor
