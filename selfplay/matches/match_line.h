// A game of a match as one line of JSON, with a checksum of its own.
#pragma once

#include <optional>
#include <string>

#include "core/registry.h"
#include "selfplay/matches/match.h"

namespace koridor {

// The line, with its end.
std::string match_line(const MatchGame& game);

// Reads a line, with or without its end; nothing where it is damaged: no such JSON, another checksum, an action that is
// not legal, or a result that the rules contradict.
std::optional<MatchGame> read_match_line(const AnyGame& game, const std::string& line);

}  // namespace koridor
