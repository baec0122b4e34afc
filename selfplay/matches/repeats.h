// Games that went as others did, move by move and from the same seats: they say nothing new of the players.
#pragma once

#include <cstdint>
#include <vector>

#include "selfplay/matches/match.h"

namespace koridor {

// Of who sat where, and of all actions.
std::uint64_t hash_of(const MatchGame& game);

// How many of the games with these hashes went as another one before them.
int count_repeats(std::vector<std::uint64_t> hashes);

}  // namespace koridor
