// A loop shaped like UCI, the Universal Chess Interface (Meyer-Kahlen, Huber, 2000), for wall games. docs/protocols.md
// says what differs.
#pragma once

#include <memory>
#include <string_view>

#include "cli/engine/protocol.h"

namespace koridor::cli {

std::unique_ptr<Protocol> make_uci(Engine& engine);

// Whether the line begins with a command of this protocol.
bool is_uci(std::string_view line);

}  // namespace koridor::cli
