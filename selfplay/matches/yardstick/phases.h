// The phases of a game, into which the positions of a set (set.h) fall.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

struct Phase {
  std::string name;
  std::vector<std::size_t> positions;  // their indices, rising; not empty
};

// The phases that the positions are in, from the start of the game to its end; each position is in one. In wall games
// they go by the walls left in all stocks together: all ("opening"), "4-5" and so on in four bands, "none". In other
// games they are five stretches of plies.
std::vector<Phase> phases_of(const AnyGame& game, std::span<const YardstickPosition> positions);

// What the numbers in the names of the phases count, for a heading: "walls left", "plies".
std::string phase_unit(const AnyGame& game);

}  // namespace koridor
