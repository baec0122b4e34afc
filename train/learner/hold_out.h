// Games that are kept from training, to see how well the network does on games that it has not learned. Which games
// these are is fixed by generation and number: the same for every seed, network and order of shards, and with a smaller
// share some of those of a larger one.
#pragma once

#include <cstdint>
#include <utility>

#include "selfplay/shards/shard.h"
#include "train/learner/learner.h"
#include "train/learner/replay_window.h"
#include "train/learner/steps.h"

namespace koridor {

// Whether the game is among those held out; `share` in [0, 1].
bool held_out(int generation, std::uint32_t game_number, double share);

// The games to learn from, and those held out; whole games in the shard's order.
std::pair<ShardData, ShardData> split_games(const ShardData& shard, double share);

// The figures of the learner's average on all positions of the window, each once.
StepFigures measure_all(Learner& learner, const ReplayWindow& window, int boards);
// The same on `positions` positions drawn from it, always the same for equal windows.
StepFigures measure_some(Learner& learner, const ReplayWindow& window, std::size_t positions);

}  // namespace koridor
