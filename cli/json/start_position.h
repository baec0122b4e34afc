// A position that somebody set up, wherever a game may begin with one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/registry.h"
#include "selfplay/session/any_position.h"

namespace koridor {

// Reads `start` of docs/serve.md. Throws UserError, which says what is wrong with it, for a position that the game does
// not have.
AnyPosition read_start(const AnyGame& game, const nlohmann::json& start);

}  // namespace koridor
