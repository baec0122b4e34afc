// How fast the trainer is.
#pragma once

#include "core/base/table.h"
#include "train/run/config.h"

namespace koridor {

// Prints the samples per second of the whole pipeline (window, readers, loss, optimiser, average) beside those of the
// bare forward and backward pass of the same network in the same process.
void bench_trainer(const Config& config, int threads, TableWriter& out);

}  // namespace koridor
