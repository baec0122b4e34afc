// What a user can do with a run that has ended.
#pragma once

#include <filesystem>
#include <string>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// Names the run's last model and the commands that play with it, measure it, show its games and, on the last line, open
// board and run in the browser, each on a line of its own and quoted for a shell. `programs` is the folder of
// `koridor`.
std::string next_steps(const RunDirectory& run, const Config& config, const std::filesystem::path& programs);

}  // namespace koridor
