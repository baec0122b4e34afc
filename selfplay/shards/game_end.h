// How a finished game ended, and how a shard names its game.
#pragma once

#include <array>

#include "core/game.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// The rule that ended the game at `state`, which is over with `outcome`, whoever won. Where several rules end it at
// once, passes take precedence over the ply cap, and the ply cap over repetition.
template <Game G>
GameEnd game_end(const G& game, const typename G::State& state, const Outcome& outcome) {
  constexpr bool kScored = requires {
    game.out_of_stones(state);
  };  // Go: whoever has more points wins
  if constexpr (!kScored) {
    if (outcome.kind == Outcome::Kind::win) return GameEnd::goal;
  }
  if constexpr (requires { state.passes; }) {
    if (state.passes >= game.players()) return GameEnd::passes;
  }
  if (game.ply(state) >= game.max_plies()) return GameEnd::ply_cap;
  if constexpr (kScored) {
    if (outcome.kind == Outcome::Kind::win || game.out_of_stones(state)) return GameEnd::supply;
  }
  return GameEnd::repetition;
}

// The rules' names, as figures.jsonl and tables have them.
inline constexpr std::array<const char*, kGameEnds> kGameEndNames = {"goal",   "ply_cap", "repetition",
                                                                     "passes", "supply",  "decided"};

// The entries of a shard's info that follow from the game: variant, rules, players, bytes per state, action order.
ShardInfo describe_game(const AnyGame& game);

}  // namespace koridor
