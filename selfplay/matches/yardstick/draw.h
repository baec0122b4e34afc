// Drawing the positions of a set (set.h).
#pragma once

#include <cstdint>

#include "core/registry.h"
#include "core/solve/solver.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

// Draws `count` different positions of a solved game, or fewer where many games in a row bring no new one. The first of
// more positions are those of fewer.
YardstickSet draw_proven_set(const AnyGame& game, const AnySolver& solver, int count, std::uint64_t seed = 1);

// Draws positions of any game, of which nothing is known but the legal actions: at least two, of which none wins at
// once. Of the positions of each game it takes about a sixteenth, since they are alike. A player's judgement of them is
// added by refer_to (measure.h).
YardstickSet draw_open_set(const AnyGame& game, int count, std::uint64_t seed = 1);

}  // namespace koridor
