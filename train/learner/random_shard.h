// A shard of uniformly random games, for tests and the bench. Every ply is a training position, whose policy is the
// action played. The games run to their end, and `config_hash` is what the shard says of its run (RunDirectory).
#pragma once

#include <cstdint>

#include "core/registry.h"
#include "selfplay/shards/shard.h"

namespace koridor {

ShardData random_shard(const AnyGame& game, int games, std::uint64_t seed, const std::string& config_hash = "");

}  // namespace koridor
