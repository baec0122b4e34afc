// The yardstick: the share of positions in which a player's choice keeps the proven value. Ratings compare players with
// each other; the yardstick compares them with perfect play, on games small enough to be solved.
//
// The positions come from games in which each ply is, with equal chance, a proven best action or any legal one, so that
// all kinds of mistakes have been made. Only positions count in which some action keeps the value and another gives it
// away. They depend on the game and the seed alone, not on the players, so that shares of different generations and
// runs can be compared.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/registry.h"
#include "core/solve/solver.h"
#include "selfplay/matches/player_batch.h"
#include "selfplay/matches/players.h"

namespace koridor {

struct YardstickPosition {
  std::vector<Action> actions;  // from the first position to this one
  ActionMask keeping;           // the actions that keep its value
  int legal = 0;                // number of legal actions
};

// Draws `count` different positions, or fewer where many games in a row bring no new one.
std::vector<YardstickPosition> yardstick_positions(const AnyGame& game, const AnySolver& solver, int count,
                                                   std::uint64_t seed = 1);

// The expected share, in [0, 1], of a player that chooses every legal action with equal chance.
double random_share(std::span<const YardstickPosition> positions);

struct YardstickOptions {
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
  PlayerBatchOptions batch{};
  std::function<void(int done, int positions)> progress{};  // called by one thread at a time
};

// The number of positions in which the player keeps the value; of fewer positions where `stop` was set. It does not
// depend on the number of threads and rows.
int count_kept(const AnyGame& game, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop);

}  // namespace koridor
