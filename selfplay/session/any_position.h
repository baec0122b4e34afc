// A position of any game with what its rules need to know of the past, for sessions that do not begin at a game's
// start.
#pragma once

#include <variant>

#include "core/game.h"
#include "core/registry.h"

namespace koridor {

// A position of one of the games of AnyGame, in their order.
template <class AnyGame>
struct PositionsOf;
template <class... Games>
struct PositionsOf<std::variant<Games...>> {
  using type = std::variant<Position<Games>...>;
};
using AnyPosition = PositionsOf<AnyGame>::type;

}  // namespace koridor
