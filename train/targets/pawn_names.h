// Whether a head of actions can learn from what the other players do.
#pragma once

#include <variant>

#include "core/registry.h"

namespace koridor {

// True for games with two pawns per player: the policy's planes are numbered by the mover's own pawns, which are not
// those of the next mover, so that what that one does has no place in them.
inline bool names_pawns_by_mover(const AnyGame& any) {
  return std::visit(
      [](const auto& game) {
        if constexpr (requires { game.rules().pawns; }) {
          return game.rules().pawns > 1;
        } else {
          return false;
        }
      },
      any);
}

}  // namespace koridor
