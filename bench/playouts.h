// How fast are whole games? `koridor bench playouts` prints what this measures.
#pragma once

#include "core/base/table.h"

namespace koridor::bench {

// Shows as the table "playouts", for each wall game and one thread: uniformly random games per second, the factor over
// OpenSpiel where its figure is known, the length of a game, and the time of encoding a position over that of
// generating its legal actions. Figures are medians of several runs.
void bench_playouts(TableWriter& out);

}  // namespace koridor::bench
