// What a run's files carry to say that they are its own.
#pragma once

#include <string>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// The configuration's hash when the run began, which its first model holds; before that model is there, the hash now.
// So a run goes on whatever later versions add to the configuration.
std::string run_identity(const RunDirectory& run, const Config& config);

}  // namespace koridor
