// The units in which weights are counted where they are small integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace koridor {

// One unit for each of the `outputs` of a convolution, of which the weights [rows, each] have the first `rows`: the
// largest weight of an output is `largest_weight` units. 1 where there is none, and where the largest weight is so near
// to 0 that such a unit would have fewer digits than other numbers: all of them are then 0 units.
inline std::vector<float> weight_units(std::span<const float> weight, int rows, int outputs, float largest_weight) {
  std::vector<float> units(static_cast<std::size_t>(outputs), 1.0f);
  const std::size_t each = weight.size() / static_cast<std::size_t>(rows);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    float largest = 0.0f;
    for (const float value : weight.subspan(row * each, each)) largest = std::max(largest, std::abs(value));
    const float unit = largest / largest_weight;
    if (unit >= std::numeric_limits<float>::min()) units[row] = unit;
  }
  return units;
}

// Widens units so that no bias is more than `largest_bias` units of products of a weight and a number of the source, in
// which it is counted. Weights so small do not matter beside such a bias.
inline void make_room_for_bias(std::span<float> units, std::span<const float> bias, float source_unit,
                               float largest_bias) {
  for (std::size_t row = 0; row < bias.size(); ++row) {
    units[row] = std::max(units[row], std::abs(bias[row]) / source_unit / largest_bias);
  }
}

}  // namespace koridor
