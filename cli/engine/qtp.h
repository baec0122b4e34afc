// QTP: the Quoridor Text Protocol (Avlonitis, Chatziagapis, "Specification of the Quoridor Text Protocol", 2015-2021),
// with commands for every wall game. docs/protocols.md lists them.
#pragma once

#include <memory>

#include "cli/engine/protocol.h"

namespace koridor::cli {

std::unique_ptr<Protocol> make_qtp(Engine& engine);

}  // namespace koridor::cli
