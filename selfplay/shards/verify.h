// Checks a shard against the rules, by playing every game in it again.
#pragma once

#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// Returns a line for every fault ("game 17: ply 4: the action 93 is not legal"; plies count from 1), at most one per
// game; none where the shard is right. Checks that
//   the variant is known and the rule parameters are its own; each game's number is unique;
//   each packed position is the one that the rules lead to; players and actions are right;
//   a seat is the network's or an opponent's, not both in one game;
//   policies hold legal actions, each once, and sum to one;
//   openings come first and have no policy, full searches have one; values sum to one;
//   the game is over at its end and not before; outcome, kind of end and auxiliary values are those of its last
//   position.
std::vector<std::string> verify_shard(const ShardData& data);

// The game whose games the shard holds. Throws UserError that begins with `where` if nobody knows it.
AnyGame game_of(const ShardData& data, const std::string& where);

// Throws UserError that begins with `where` unless the shard has as many players and bytes a position as its game, so
// that its arrays can be read by the game's sizes. read_shard() knows no games.
void require_sizes_of_game(const ShardData& data, const std::string& where);

// Throws UserError that begins with `where` and names ply and game, as verify_shard() does, unless every game can be
// played by the rules. The sizes must be those of the game. It is quicker than verify_shard().
void require_legal_plies(const ShardData& data, const std::string& where);

}  // namespace koridor
