// How fast is self-play, and how much of its time is the network? `koridor bench selfplay` prints what this measures.
#pragma once

#include <atomic>

#include "core/registry.h"
#include "core/search/config.h"
#include "models/model_file.h"
#include "selfplay/config.h"

namespace koridor::bench {

struct SelfplayTask {
  AnyGame game;
  Model model;
  SelfplayConfig selfplay;  // `games` and shards are not looked at
  SearchConfig search;
  int threads = 0;     // 0: all cores
  double seconds = 3;  // of each run
  int runs = 3;        // the table shows their median
};

// Plays games without storing them and prints, for all threads: evaluations, positions and games a second, the share
// of the time in the network, and what the rest costs beside the bare evaluator on the same batches. Ends early once
// `stop` is set.
void bench_selfplay(const SelfplayTask& task, const std::atomic<bool>& stop);

}  // namespace koridor::bench
