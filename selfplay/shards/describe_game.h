// How a shard names its game.
#pragma once

#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// The entries of a shard's info that follow from the game: variant, rules, players, bytes per state, action order.
ShardInfo describe_game(const AnyGame& game);

}  // namespace koridor
