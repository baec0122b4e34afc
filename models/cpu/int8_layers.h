// What our own networks in bytes have in common, whatever multiplies for them (amx_network.h, int8_network.h): the
// layers and their units.
#pragma once

#include <string>
#include <vector>

#include "models/cpu/heads.h"
#include "models/network/model_file.h"
#include "models/network/units.h"

namespace koridor {

// A 3x3 convolution of a block, whose tensors are `name`.weight and `name`.bias.
struct BlockConvolution {
  std::string name;
  int reads = 0;             // the activation (models/network/calibration.h) that is its source
  float source_unit = 0.0f;  // what 1 of the source stands for
  float result_unit = 0.0f;  // of the result
  float sum_unit = 0.0f;     // of what the result is added to; 0: nothing
};

// The first and the second of each block, in their order.
std::vector<BlockConvolution> block_convolutions(const NetworkConfig& network, const Units& units);

// weight [bias.size(), inputs] . x + bias in units of `unit`; outputs beyond the network's, up to `outputs`, are 0.
Linear linear_in_units(std::vector<float> weight, std::vector<float> bias, float unit, int outputs);

}  // namespace koridor
