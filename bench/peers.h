// How does self-play compare with that of other systems at the same setting? `koridor bench peers` prints it.
#pragma once

#include <atomic>
#include <string>

#include "core/base/table.h"
#include "selfplay/generator/config.h"

namespace koridor::bench {

struct PeersTask {
  std::string game;         // canonical name, "quoridor", "go:9x9"; empty: both
  SelfplayConfig selfplay;  // only evaluation and slots are used
  int threads = 0;          // 0: all cores
  double seconds = 15;      // measured for each row; the larger networks want a minute
};

// Whether a peer was measured on the game of this canonical name.
bool has_peer(const std::string& game);

// Measures with 200 visits per move (visits kept in the subtree count, as they save the work), no cheap searches, no
// opening plies, root noise and random weights in the peers' network sizes. A trained network searches deeper and keeps
// more of the tree. Throws UserError for a game without a peer.
void bench_peers(const PeersTask& task, TableWriter& out, const std::atomic<bool>& stop);

}  // namespace koridor::bench
