// What int8 needs to know of a network: how large its activations become. This is measured in f32 on positions of
// self-play when a model is exported. The model file keeps it together with some of the positions, on which every
// evaluator in int8 is compared with f32 before it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/network/evaluator.h"
#include "models/network/network.h"

namespace koridor {

struct Model;

// Of a calibration's ranges: a 255th of one is a unit, by which is divided.
inline constexpr float kLeastRange = 1e-15f;

struct Calibration {
  int rows = 0;  // of the positions' board
  int columns = 0;
  std::vector<float> ranges;         // [network_activations()]: activations lie in [0, range] but for a few outliers
  std::vector<std::uint8_t> planes;  // [positions, planes, rows, columns], in 255ths; planes lie in [0, 1]
  std::vector<float> scalars;        // [positions, scalars]

  bool empty() const { return ranges.empty(); }
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// The positions of a calibration as they were encoded, to the nearest 255th.
struct CalibrationPositions {
  EncodingShape shape;
  int size = 0;
  std::vector<float> planes;
  std::vector<float> scalars;

  Batch batch() const { return {size, planes, scalars}; }
};

// The positions of model.calibration, which is not empty; `shape` is that of any board the model serves.
CalibrationPositions calibration_positions(const Model& model, const EncodingShape& shape);

// A network has these activations, in the order of computation and with the names of network.h: the input (planes and
// scalars), x behind the stem, and for each block y, y behind the pooling (the same if the block does not pool), and x.
inline constexpr int kBlockActivations = 3;
inline int network_activations(const NetworkConfig& network) {
  return 2 + kBlockActivations * network.blocks;
}

// Receives an activation of one position: its place in the order above, and all its values. Positions come one after
// the other.
using ActivationObserver = std::function<void(int activation, std::span<const float> values)>;

// The largest number of positions that are kept.
inline constexpr int kCalibrationPositions = 32;

}  // namespace koridor
