// Who owns each point after a game of Go, for the targets that learn from it.
#pragma once

#include <vector>

#include "core/go/count.h"
#include "core/go/game.h"
#include "train/targets/target.h"

namespace koridor {

// Who would own each point if the game of this ply, its last one, had been played out, [rows * columns]: 1 black, 0
// white, 0.5 open. A game of self-play ends as soon as it is decided (core/search/README.md), with dead stones on
// the board and open fights that no longer matter, so that the board as it stands would teach that stones do not
// die. Playouts say who lives, by their majority: they play too badly for their shares to be probabilities. In 80
// final positions of GNU Go's this makes GNU Go's score exactly in 74 (the board as it stands: in 15, by 18 points
// off on average; the shares: in none, by 9 points off).
inline std::vector<float> final_owners(const go::GoGame& game, const PlyView& last) {
  constexpr int kPlayouts = 64;  // 4 milliseconds a game on 9x9
  constexpr float kOpen = 0.05f;
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  go::State state = *game.unpack(std::span(last.shard.ply_state).subspan(last.ply * bytes, bytes));
  game.apply(state, Action{last.shard.ply_action[last.ply]});
  Random random(game.key(state));
  std::vector<float> owners = go::owners_by_playouts(game, state, kPlayouts, random);
  for (float& owner : owners) owner = owner > 0.5f + kOpen ? 1.0f : owner < 0.5f - kOpen ? 0.0f : 0.5f;
  return owners;
}

}  // namespace koridor
