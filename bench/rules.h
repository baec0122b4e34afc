// How fast are the rules? `koridor bench` prints what this measures.
#pragma once

#include <string>

#include "core/base/table.h"

namespace koridor::bench {

// Shows as the table "rules", for the game of this variant and one thread, per second: positions and actions generated,
// perft leaves, uniformly random games and encodings. Each is the median of several runs and stands beside a limit
// measured in the same run: the copying of states, the writing of as many floats, or the same work done by plain code.
// Throws UserError for an unknown game.
void bench_rules(const std::string& game_variant, TableWriter& out);

}  // namespace koridor::bench
