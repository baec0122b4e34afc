// The position that a request is about: a game, perhaps a position that somebody set up, and moves from there on. The
// page keeps the game; the server keeps nothing of it between two requests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/session/any_position.h"
#include "selfplay/session/session.h"

namespace koridor::serve {

struct RequestedLine {
  AnyGame game;
  std::optional<AnyPosition> start{};  // nothing: the game's own
  std::vector<std::string> moves{};
  int ply = 0;  // of the moves that led to the position; the others were taken back
};

// Reads `game`, `start`, `moves` and `ply` of the request (docs/serve.md). Throws UserError; the moves are not checked.
RequestedLine read_line(const nlohmann::json& request);

// Brings the session, which is one of the line's game, to the line's position. What was searched is kept where the game
// began with the same position before. Throws UserError for a move that cannot be played.
void go_to(Session& session, const RequestedLine& line);

}  // namespace koridor::serve
