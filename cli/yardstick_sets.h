// The positions on which runs are held against proven values (`koridor rate --solver`, `koridor compare`).
#pragma once

#include <optional>

#include "core/registry.h"
#include "core/solve/solution.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor::cli {

// The first `positions` of the proven set that came with this executable; nothing where it has fewer. Throws UserError
// that names a set that is damaged.
std::optional<YardstickSet> installed_proven_set(const AnyGame& game, int positions);

// The first `positions` of the game's proven set, of fewer where there are no more: from the set that came with this
// executable if that has as many, else by solving the game, which throws UserError where it cannot be solved within the
// limits. Empty where no action ever gives anything away.
YardstickSet proven_set(const AnyGame& game, int positions, const SolveLimits& limits);

}  // namespace koridor::cli
