// A position of any game with what its rules need to know of the past, for sessions that do not begin at a game's start.
#pragma once

#include <variant>

#include "core/game.h"
#include "core/registry.h"

namespace koridor {

using AnyPosition = std::variant<Position<wall::WallGame>, Position<go::GoGame>>;

}  // namespace koridor
