// How a finished game ended.
#pragma once

#include <array>
#include <cstdint>

#include "core/game.h"

namespace koridor {

// The rule that ended a game, whoever won. Shards of format version 1 say `goal` of every game that was won.
enum class GameEnd : std::uint8_t {
  goal = 0,        // a player reached the goal
  ply_cap = 1,     // the last ply that the rules allow
  repetition = 2,  // a position occurred as often as makes a draw
  passes = 3,      // every player passed
  supply = 4,      // the player to move had no stones left
  decided = 5,     // no rule: a player of a match forfeited it, or it was adjudicated
};
inline constexpr int kGameEnds = 6;

// Their names, as pictures, figures.jsonl and tables have them.
inline constexpr std::array<const char*, kGameEnds> kGameEndNames = {"goal",   "ply_cap", "repetition",
                                                                     "passes", "supply",  "decided"};

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

}  // namespace koridor
