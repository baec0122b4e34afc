// The trainer process, which meets self-play only in the run directory. For each generation g it
//   waits for shards/gen-g/complete,
//   adds the shards to the replay window and trains,
//   writes metrics and checkpoint, and last models/gen-(g+1).koridor, which says that generation g+1 is trained.
//
// It may be killed at any time: the same call goes on from the newest checkpoint that can be read. A stop that is asked
// for loses nothing: the running step ends, and checkpoints/gen-(g+1).partial.pt holds the state.
//
// Several processes may train one run together (ranks.h), each on its part of every batch. All read the shards, from
// the same directory; the first alone looks for new ones, and it alone writes. What is asked of one (a stop) all do
// after the same step. Where one is lost, the others end too, the first after it has saved the state of the last step.
//
// A trainer that waits for games ends as well once run/leader.json says that the process that leads the run has ended.
#pragma once

#include <atomic>
#include <filesystem>

#include "train/learner/rank_place.h"
#include "train/run/config.h"

namespace koridor {

enum class TrainerEnd { finished, stopped };

// Trains the run in `directory` to its last generation, waiting for its shards, and first for the end of another
// trainer of the run, with a line on standard error. `config`: the run's own.
// `threads` 0: as configured. `place`: of this process among those that train the run. Throws UserError where the
// directory has no readable configuration, where a file of the run belongs to another run, where a file cannot be
// written, and where another process is lost. Damaged shards and checkpoints are named on standard error and skipped.
TrainerEnd train_run(const std::filesystem::path& directory, const Config& config, int threads,
                     const std::atomic<bool>& stop, const RankPlace& place = {});

}  // namespace koridor
