// How fast is one search on all cores? `koridor bench play` prints what this measures.
#pragma once

#include <atomic>

#include "bench/selfplay.h"
#include "core/base/table.h"

namespace koridor::bench {

// Searches positions of random games as `koridor engine` does, on one thread and on all, for `task.seconds` each, and
// plays the same network against itself, whose rate of evaluations bounds the others': it fills batches with the leaves
// of many games. Shows the table "play". Ends early once `stop` is set.
void bench_play(const SelfplayTask& task, TableWriter& out, const std::atomic<bool>& stop);

}  // namespace koridor::bench
