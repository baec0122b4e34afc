// The hash by which a run recognises its own files, and its configuration by that.
#pragma once

#include <string>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// The configuration's hash when the run began, which its models hold; before that model exists, the present hash.
// A run can therefore be continued by later versions of Koridor.
std::string run_identity(const RunDirectory& run, const Config& config);
// The same by the models alone, of which there are some: throws UserError where none can be read now, since a worker of
// a run that an older build began must not take another hash for the run's.
std::string identity_in_models(const RunDirectory& run, const Config& config);

struct FoundConfig {
  Config config;
  std::string note;  // where the file was damaged or missing: what becomes of it, a line for the user
};

// The configuration that the run began with: run.config(), or `given` where that file is damaged or missing and the
// run's models carry the hash of `given`; a run without models may have any. The caller writes it. Throws UserError
// where the models carry another hash, and ReadError where the file cannot be read.
FoundConfig find_run_config(const RunDirectory& run, const Config& given);

}  // namespace koridor
