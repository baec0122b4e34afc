// The options --backend, --precision, --device and --cache of several subcommands.
#pragma once

#include "cli/command_line.h"
#include "models/evaluation.h"

namespace koridor::cli {

// Adds the options with the names, comments and checks of the configuration's keys; `evaluation` must outlive the
// parsing. --cache is left out where `caches` is false, for a command that evaluates one position at a time.
void add_evaluation(const Command& command, Evaluation& evaluation, bool caches);

}  // namespace koridor::cli
