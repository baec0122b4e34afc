// Networks to measure: random ones of the right shape, and what int8 needs to know of them.
#pragma once

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::bench {

// Random weights, always the same: they do not change how long an evaluation takes.
Model random_network(const AnyGame& game, const NetworkConfig& network, const Features& features);

// The model, calibrated on positions of random games where it is not yet.
Model calibrated(const AnyGame& game, Model model);

}  // namespace koridor::bench
