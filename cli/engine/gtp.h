// GTP 2: the Go Text Protocol.
#pragma once

#include <memory>

#include "cli/engine/protocol.h"

namespace koridor::cli {

std::unique_ptr<Protocol> make_gtp(Engine& engine);

}  // namespace koridor::cli
