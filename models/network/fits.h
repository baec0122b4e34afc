// Whether a model can play a game.
#pragma once

#include <string>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor {

// As require_fits of model_file.h, of the game as the model reads it.
void require_fits(const ModelInfo& info, const AnyGame& game, const std::string& where);

}  // namespace koridor
