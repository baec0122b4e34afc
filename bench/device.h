// Does self-play keep the device of the backend torch busy? `koridor bench device` prints what this measures.
#pragma once

#include <atomic>

#include "bench/selfplay.h"

namespace koridor::bench {

// Prints the positions per second of the bare network, on batches of self-play's size that are already on the device;
// then those of self-play, which also encodes, copies and plays; then their ratio. It uses all GPUs that the task's
// device means, or on a CPU all threads.
void bench_device(const SelfplayTask& task, TableWriter& out, const std::atomic<bool>& stop);

}  // namespace koridor::bench
