// Networks to measure: random ones of the right shape, calibrated for int8.
#pragma once

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::bench {

// A network with random weights, always the same ones. Weights do not change how long an evaluation takes.
Model random_network(const AnyGame& game, const NetworkConfig& network, const Features& features);

// The model, calibrated on positions of random games if it is not yet calibrated.
Model calibrated(const AnyGame& game, Model model);

}  // namespace koridor::bench
