// The one place where `koridor play` says what can be typed, and why an action was not played.
#pragma once

#include <string>

#include "selfplay/session/session.h"

namespace koridor::cli {

// How actions of the game are written.
std::string action_help(const Session& session);
// The commands beside actions.
std::string command_help(const Session& session);
// The reason why what was typed is not played, lines without the last one's end.
std::string refusal_text(const Refusal& refusal);

}  // namespace koridor::cli
