// Go as people and records have it: either colour may move at any time, and play may go on when the game is over.
#pragma once

#include <cstdint>

#include "core/game.h"
#include "core/go/game.h"

namespace koridor::go {

// Lets play go on where the game is over: after two passes, and at the cap of plies or a third repetition, which count
// from here anew; what superko forbids stays forbidden. Without a stone to place the game stays over. Returns whether
// anything was changed.
inline bool play_on(const GoGame& game, Position<GoGame>& position) {
  const auto over = [&] { return game.outcome(position.state, position.history).over(); };
  if (!over() || game.out_of_stones(position.state)) return false;
  position.state.passes = 0;
  if (over()) {
    position.state.ply = 0;
    if (game.rules().ko == Ko::simple) position.history.clear();
  }
  return true;
}

// Gives this colour the move in a game that goes on. Where it was the other one's, the ko that this one had not to take
// back at once is over, and the passes begin anew. Returns whether anything was changed.
inline bool hand_to(const GoGame& game, Position<GoGame>& position, int colour) {
  const bool changed = play_on(game, position);
  State& state = position.state;
  if (state.player == colour) return changed;
  state.player = static_cast<std::uint8_t>(colour);
  state.ko = kNoPoint;
  state.passes = 0;
  play_on(game, position);  // with this colour to move the position may be a third repetition as well
  return true;
}

}  // namespace koridor::go
