// Where the learning rate of a run stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/run/config.h"
#include "train/run/cost.h"
#include "train/run/run_directory.h"
#include "train/run/run_shards.h"

namespace koridor {

class RunSchedule {
 public:
  // Where the schedule stands before a generation's first step, and after its last one; each in [0, 1].
  struct Part {
    double from = 0;
    double to = 1;
  };

  // `config` must outlive it.
  RunSchedule(const RunDirectory& run, const Config& config)
      : run_(run), config_(config), cost_(run, config), shards_(run, games_of(config).size()) {}

  // Which part the training has that follows the model of `generation`, in `steps` steps: its shares of
  // run.generations and of run.max_cost, and how far run.max_minutes is, whichever ends the run first: else the last
  // model would have learned at a high rate. Throws UserError as RunCost::until.
  Part part(int generation, int steps);

  // Whether run.max_cost is spent with the model of `generation`. Throws UserError as RunCost::until.
  bool budget_is_spent(int generation);

  // Whether run.max_minutes have passed, by the clock that the process which leads the run saves.
  bool time_is_over();

  // A warning where the training that follows the model of `generation` begins at a higher rate than that ended with,
  // since the run has become longer; `optimizer_steps`: of the run so far.
  std::optional<std::string> higher_rate(int generation, const Part& part, std::int64_t optimizer_steps) const;

 private:
  Part part_of_work(int generation, int steps);
  // The share of run.max_minutes; 0 where there is no limit.
  double time_spent();

  RunDirectory run_;
  const Config& config_;
  RunCost cost_;
  RunShards shards_;
  double time_spent_ = 0;  // the largest share of run.max_minutes that was read
};

}  // namespace koridor
