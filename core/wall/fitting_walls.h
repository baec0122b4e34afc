// How many walls still fit, whatever the players have left: each place that a wall takes is lost to the walls that
// would overlap or cross it, so that a board fills up long before large stocks are used up.
#pragma once

#include "core/wall/configuration.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// The most walls that fit beside those placed without overlapping or crossing, 0 to `most`; most + 1 where more fit.
// Some of them may be against the rules, as they would close a pawn's last way: in no game are more walls placed.
int fitting_walls(const Geometry& geometry, const Configuration& walls, int most);

}  // namespace koridor::wall
