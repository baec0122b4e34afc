// What trainers of one run must agree on before they begin: the build and the settings.
#pragma once

#include "train/learner/ranks.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// The first process's configuration, for all: the keys that may change between stops could differ, since each reads the
// run's at its own time. Throws UserError where other keys differ, or the builds.
Config config_of_all(const Config& own, Ranks& ranks);

// Throws UserError where the process that leads the run is of another build: a trainer that was started otherwise than
// by it may be, and so may one that was not built again beside it.
void require_the_build_that_leads(const RunDirectory& run);

}  // namespace koridor
