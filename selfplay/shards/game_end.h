// How a finished game ended, and how a shard names its game.
#pragma once

#include "core/game.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// `state` is over with `outcome`. Where several rules end a game at once, passes count before the ply cap, and that
// before repetition.
template <Game G>
GameEnd game_end(const G& game, const typename G::State& state, const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::win) return GameEnd::win;
  if constexpr (requires { state.passes; }) {
    if (state.passes >= game.players()) return GameEnd::passes;
  }
  return game.ply(state) >= game.max_plies() ? GameEnd::ply_cap : GameEnd::repetition;
}

// The entries of a shard's info that follow from the game: variant, rules, players, bytes a state, action order.
ShardInfo describe_game(const AnyGame& game);

}  // namespace koridor
