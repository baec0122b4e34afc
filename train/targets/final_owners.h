// Who owns each point after a game of Go, for the targets that learn from it.
#pragma once

#include <span>
#include <vector>

#include "core/go/game.h"
#include "train/targets/target.h"

namespace koridor {

// The position that a game's last ply leads to.
template <Game G>
typename G::State final_state(const G& game, const PlyView& last_ply) {
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  typename G::State state = *game.unpack(std::span(last_ply.shard.ply_state).subspan(last_ply.ply * bytes, bytes));
  game.apply(state, Action{last_ply.shard.ply_action[last_ply.ply]});
  return state;
}

// Who would own each point if play went on, [rows * columns]: 1 black, 0 white, 0.5 undecided. A game of self-play
// ends as soon as it is decided (core/search/README.md), with dead stones on the board and fights that no longer
// matter, so that the board as it stands would teach that stones do not die. Playouts (core/go/count.h) say who
// lives, by their majority: they play too badly for their shares to be probabilities. bench/FIGURES.md has how often
// they are right. The same state has the same owners; a thread keeps its last ones, since two targets ask for them.
const std::vector<float>& final_owners(const go::GoGame& game, const go::State& state);

}  // namespace koridor
