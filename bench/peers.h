// How does self-play compare with that of other systems at the same setting? `koridor bench peers` prints it.
#pragma once

#include <atomic>
#include <string>

#include "selfplay/generator/config.h"

namespace koridor::bench {

struct PeersTask {
  std::string game;         // "quoridor", "go:9x9"; empty: both
  SelfplayConfig selfplay;  // evaluation and slots are used
  int threads = 0;          // 0: all cores
  double seconds = 15;      // measured for each row; with the larger networks a minute says more
};

// 200 visits a move (those kept in the subtree count, as they save the work), no cheap searches, no opening plies, root
// noise, random weights of the peers' network sizes. A trained network searches deeper and keeps more.
void bench_peers(const PeersTask& task, const std::atomic<bool>& stop);

}  // namespace koridor::bench
