// The self-play worker of a run whose loop runs at once (run.mode = continuous): it plays the games of one generation
// after the other without a pause, each game with the newest model that is there when it begins.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>

#include "selfplay/generator/worker.h"

namespace koridor {

struct ContinuousJob {
  // The job of a generation, with the model of that generation; all are alike but for number and paths.
  std::function<SelfplayJob(int generation)> generation;
  int generations = 1;  // there are games of the generations 0 to generations - 1
  int ahead = 2;        // games of generation g begin once the model of generation g - ahead is there
};

// Seconds between two looks of a worker for a newer model, where one comes every so many seconds: eight looks in that
// time, but one per 0.1 s at most and one per 30 s at least. That way, many workers that each get a model every few
// minutes do not ask a shared file system several times per second each. A worker that has nothing to play before the
// next model looks 32 times, and once per second at least.
inline double pause_between_looks(double seconds, bool waits) {
  return waits ? std::clamp(seconds / 32, 0.1, 1.0) : std::clamp(seconds / 8, 0.1, 30.0);
}

// Plays beside any other workers until the games of all generations are complete, and ends soon after `stop` is set.
// The status is that of run_selfplay_worker() for the first generation that is not complete; beside it has
// last_generation (whose games are begun), model (the newest in play), waits (for the next model: the games are as far
// ahead as they may be), waited_seconds (in which it waited for a model) and idle_seconds (in which its threads had no
// game, for whatever reason, on the average of the threads; a thread that has some games, but not in every slot, is not
// idle) of continuous_seconds. The worker's sign says the same.
WorkerEnd run_continuous_worker(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop);

}  // namespace koridor
