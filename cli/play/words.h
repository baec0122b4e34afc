// What can be typed at a board.
#pragma once

#include <string>

#include "selfplay/session/session.h"

namespace koridor::cli {

// How actions are written here and now, and the commands beside them: lines of at most 80 columns.
std::string help_of(const Session& session);

}  // namespace koridor::cli
