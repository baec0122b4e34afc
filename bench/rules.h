// How fast are the rules? `koridor bench` prints what this measures.
#pragma once

#include <string>

namespace koridor::bench {

// Prints to standard output, one thread, for the game of this variant: positions and actions generated a second, perft
// leaves, uniformly random games and encodings a second. Each is the median of several runs and stands beside a limit
// measured in the same run: the copying of states, the writing of as many floats, and the same work done plainly.
// Throws UserError for an unknown game.
void bench_rules(const std::string& game_variant);

}  // namespace koridor::bench
