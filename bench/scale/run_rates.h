// The rates of a run that exists, from its own files: what its worker, its trainer and its games are like.
#pragma once

#include "bench/scale/simulation.h"
#include "train/run/run_directory.h"

namespace koridor::bench {

// Medians over the run's last generations, as figures.jsonl has them, with the sizes of its newest models and shards;
// the file system's rates are left as they are. Throws UserError where the run has not finished a generation of
// self-play and training, or has several boards, or nobody has said how many slots a worker has.
ScaleRates rates_of_run(const RunDirectory& run);

}  // namespace koridor::bench
