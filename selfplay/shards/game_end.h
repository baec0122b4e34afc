// How a finished game ended, and how a shard names its game.
#pragma once

#include "core/game.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// The rule that ended the game at `state`, which is over with `outcome`. Where several rules end it at once, passes
// take precedence over the ply cap, and the ply cap over repetition.
template <Game G>
GameEnd game_end(const G& game, const typename G::State& state, const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::win) return GameEnd::win;
  if constexpr (requires { state.passes; }) {
    if (state.passes >= game.players()) return GameEnd::passes;
  }
  return game.ply(state) >= game.max_plies() ? GameEnd::ply_cap : GameEnd::repetition;
}

// The entries of a shard's info that follow from the game: variant, rules, players, bytes per state, action order.
ShardInfo describe_game(const AnyGame& game);

}  // namespace koridor
