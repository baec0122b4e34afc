// Who will own each point at the end of a game of Go.
#pragma once

#include <vector>

#include "core/go/game.h"
#include "models/network/model_file.h"

namespace koridor {

// The probability that black will own each point, [rows * columns]: by the model's head for it on boards of a size
// that it learned on, else by playouts (core/go/count.h). `model` may be null.
std::vector<float> expected_owners(const Model* model, const go::GoGame& game, const go::State& state);

}  // namespace koridor
