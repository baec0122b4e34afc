// The hash by which a run recognises its own files.
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

}  // namespace koridor
