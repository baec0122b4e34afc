// The keys of a configuration as programs read them: `koridor config --json`.
#pragma once

#include "core/base/table.h"
#include "train/run/config.h"

namespace koridor {

// The table "keys": every key with its value, its default, the values that it may have, whether it may change between
// the stops of a run, and its meaning. A list of strings is text as in TOML.
Table config_table(const Config& config);

}  // namespace koridor
