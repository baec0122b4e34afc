// Does self-play keep the device of the backend torch busy? `koridor bench device` prints what this measures.
#pragma once

#include <atomic>

#include "bench/selfplay.h"

namespace koridor::bench {

// Prints: positions a second of the bare network, on batches of the size that self-play has and that are on the device
// already; then of self-play, which encodes, copies and plays as well, and its share of the bare network. On GPUs, all
// of `selfplay.device`; on a CPU, all threads.
void bench_device(const SelfplayTask& task, const std::atomic<bool>& stop);

}  // namespace koridor::bench
