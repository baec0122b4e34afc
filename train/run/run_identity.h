// The hash by which a run recognises its own files.
#pragma once

#include <string>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// The configuration's hash when the run began, which its models hold; before that model exists, the present hash.
// A run can therefore be continued by later versions of Koridor.
std::string run_identity(const RunDirectory& run, const Config& config);

}  // namespace koridor
