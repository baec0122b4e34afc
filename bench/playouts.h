// How fast are whole games? `koridor bench playouts` prints what this measures.
#pragma once

namespace koridor::bench {

// Prints to standard output, one thread: for each wall game uniformly random games a second, how many times as many
// OpenSpiel plays where its figure is known, the length of a game, and what encoding a position costs beside
// generating its legal actions. Medians of several runs.
void bench_playouts();

}  // namespace koridor::bench
