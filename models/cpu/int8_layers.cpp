#include "models/cpu/int8_layers.h"

#include <fmt/format.h>

#include <cstddef>

#include "models/network/calibration.h"

namespace koridor {

std::vector<BlockConvolution> block_convolutions(const NetworkConfig& network, const Units& units) {
  std::vector<BlockConvolution> all;
  for (int block = 0; block < network.blocks; ++block) {
    const int y = 2 + kBlockActivations * block;  // place of y, between x of the block before and y pooled
    all.push_back({.name = fmt::format("blocks.{}.first", block),
                   .reads = y - 1,
                   .source_unit = units.x(block - 1),
                   .result_unit = units.y(block)});
    all.push_back({.name = fmt::format("blocks.{}.second", block),
                   .reads = y + 1,
                   .source_unit = units.pooled(block),
                   .result_unit = units.x(block),
                   .sum_unit = units.x(block - 1)});
  }
  return all;
}

Linear linear_in_units(std::vector<float> weight, std::vector<float> bias, float unit, int outputs) {
  weight.resize(weight.size() / bias.size() * static_cast<std::size_t>(outputs));
  bias.resize(static_cast<std::size_t>(outputs));
  for (float& value : weight) value /= unit;
  for (float& value : bias) value /= unit;
  return {weight, bias};
}

}  // namespace koridor
