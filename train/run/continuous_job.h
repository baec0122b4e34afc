// The work of a self-play worker in a run whose loop runs at once.
#pragma once

#include "selfplay/generator/continuous_worker.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// `like`: the job of any generation.
inline ContinuousJob continuous_job(const RunDirectory& run, const Config& config, const SelfplayJob& like) {
  return {.generation =
              [run, like](int generation) {
                SelfplayJob job = like;
                job.generation = job.model_generation = generation;
                job.model = run.model(generation);
                job.shards = run.shards(generation);
                job.complete = run.complete(generation);
                return job;
              },
          .generations = config.run.generations,
          .ahead = config.run.ahead};
}

}  // namespace koridor
