// A position as JSON text with all that a page needs to draw it and to let a person act: the board, what stands on it,
// the legal actions and why the others are illegal, the moves, the outcome. docs/picture.md has the format, which is
// one for all games. `koridor serve` and the C library use it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/any_position.h"
#include "selfplay/session/session.h"

namespace koridor {

struct PictureOptions {
  bool actions = true;  // "legal"
  bool reasons = true;  // "illegal"
};

// The session's position, in the session's notation.
std::string picture(const Session& session, const PictureOptions& options = {});

// A place in a game: after the first `ply` of `moves`, which are legal one after the other from `start`.
struct GamePlace {
  const AnyPosition& start;
  std::span<const SessionMove> moves;
  int ply;
};
std::string picture(const AnyGame& game, const GamePlace& place, Notation notation = Notation::standard,
                    const PictureOptions& options = {});

// What a search says of the session's position, with the places of all actions that it names.
std::string analysis_picture(const Session& session, const Analysis& analysis);

// A refusal, with the reason's name.
std::string refusal_picture(const Refusal& refusal);

}  // namespace koridor
