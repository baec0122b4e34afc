// What a level of play (selfplay/matches/levels.h) chooses by a session's search.
#pragma once

#include <atomic>
#include <string_view>

#include "core/base/random.h"
#include "selfplay/matches/levels.h"
#include "selfplay/session/analysis.h"

namespace koridor {

class Session;

// The action that it takes of what its search has found: the best, or drawn by its temperature. Without visits it goes
// by the network's policy alone.
Action chosen_by(const Strength& strength, const Analysis& analysis, Random& random);

// Searches the session's position, which is not over, as the level of this name does: by the level's own visits,
// whatever was searched before; and takes an action. `stop` ends the search. Throws UserError where there is no such
// level.
Action choose_at(std::string_view level, Session& session, Random& random, const std::atomic<bool>& stop);

}  // namespace koridor
