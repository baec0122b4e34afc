// A yardstick that does not move: in how many positions does a player's choice keep the value that is proven? Ratings
// compare players with each other; this compares them with the truth, on games small enough to be solved.
//
// Positions come from games in which each ply is, with equal chance, a proven best action or any legal one, so that all
// kinds of mistakes have been made and many are still to be made. Only positions count in which some action keeps the
// value and some other gives it away. They depend on the game and the seed alone, not on the players measured, so that
// shares of different generations and runs can be compared.
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

// `count` different positions, or fewer where many games bring no new ones.
std::vector<YardstickPosition> yardstick_positions(const AnyGame& game, const AnySolver& solver, int count,
                                                   std::uint64_t seed = 1);

// Of choices drawn with equal chance, on average: what a player without any knowledge keeps.
double random_share(std::span<const YardstickPosition> positions);

struct YardstickOptions {
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
  PlayerBatchOptions batch{};
  std::function<void(int done, int positions)> progress{};  // called by one thread at a time
};

// The number of positions in which the player keeps the value; less where `stop` was set. The same for any number of
// threads and rows.
int count_kept(const AnyGame& game, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop);

}  // namespace koridor
