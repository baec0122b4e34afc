// The blocks' convolutions of a network in int8 as minimal filtering (winograd.h).
#pragma once

#include <vector>

#include "models/onednn_layers.h"
#include "models/winograd.h"

namespace koridor {

// First and second of each block; empty where it does not pay. The ranges of the transformed inputs are measured in f32
// on the positions of model.calibration, which is not empty.
std::vector<WinogradConvolution> make_winograd_layers(const Model& model, const EncodingShape& shape,
                                                      const Units& units);

}  // namespace koridor
