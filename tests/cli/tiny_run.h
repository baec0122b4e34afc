// The smallest run with all parts of a run; it takes seconds.
#pragma once

namespace koridor::test {

inline constexpr const char* kTinyConfig = R"(
[run]
game = "quoridor:3x3,walls=1"
generations = 3
[network]
blocks = 2
channels = 8
[selfplay]
games = 60
slots = 8
visits = 8
cheap_visits = 4
full_share = 0.5
shard_seconds = 0.2
[training]
batch = 32
samples_per_position = 2
window_base = 1000
[rating]
games = 4
visits = 4
previous = 1
baselines = ["random", "greedy"]
)";

}  // namespace koridor::test
