// Positions of the wall games to measure on.
#pragma once

#include <vector>

#include "core/wall/game.h"

namespace koridor::bench {

// Positions as they occur in play while the mover has walls left (without walls there are only pawn moves to find).
// Half of the actions that led to them improve the mover's path difference, the others are random.
std::vector<wall::State> sample_positions(const wall::WallGame& game, std::size_t count);

}  // namespace koridor::bench
