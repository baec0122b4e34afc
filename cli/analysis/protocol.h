// The analysis protocol as one of those that `koridor engine` speaks. The engine's own session is not used.
#pragma once

#include <memory>

#include "cli/engine/protocol.h"

namespace koridor::cli {

std::unique_ptr<Protocol> make_analysis(Engine& engine);

}  // namespace koridor::cli
