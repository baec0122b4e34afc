// What `koridor rate --solver` shows: how often each rated generation's choice keeps the proven value, on the boards of
// its run that the solver can solve.
#pragma once

#include "cli/solver_limits.h"
#include "cli/table.h"
#include "train/run/comparison.h"
#include "train/run/run_directory.h"

namespace koridor::cli {

struct RateYardstickOptions {
  int positions = 1000;
  int visits = 0;  // per choice; 0: as in the run's matches
  int mebibytes = static_cast<int>(SolveLimits{}.mebibytes);
};

// The table "yardstick", one row per generation and board.
Table rate_yardstick_table();

// Removes results that are damaged, with a line on standard error for each: they are about to be measured again.
void remove_damaged_yardsticks(const RunDirectory& run);

// Measures what is not stored yet for every board of the run, stores it and shows it; `several`: the run is one of
// several, and its label stands before each table. A board that cannot be solved does not prevent the others. Throws
// UserError where all are such. Returns early when stopped.
void show_yardsticks(TableWriter& out, const RateYardstickOptions& options, const LabelledRun& run, bool several);

}  // namespace koridor::cli
