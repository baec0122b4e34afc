// Games of uniformly random play as a shard, every ply a sample whose policy is the action played: something to train
// on without self-play, for the bench and the tests.
#pragma once

#include <cstdint>

#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

ShardData random_shard(const AnyGame& game, int games, std::uint64_t seed, const std::string& config_hash = "");

}  // namespace koridor
