// The configuration as a run directory keeps it: every key, under a checksum.
#pragma once

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// Writes run.config(). Throws UserError where it cannot.
void save_run_config(const RunDirectory& run, const Config& config);

// Throws UserError unless run.is_there().
void check_is_run(const RunDirectory& run);

// Throws UserError, which names a key, where `given` differs from the configuration `kept` of the run in one that a run
// keeps.
void require_goes_on(const RunDirectory& run, const Config& kept, const Config& given);

// Reads run.config(). Throws UserError that names the file where it is damaged, cut short or cannot be read. A file of
// an older version, without a checksum, must have all the sections that such files have.
Config load_run_config(const RunDirectory& run);

}  // namespace koridor
