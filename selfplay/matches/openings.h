// Openings that matches begin with, in place of random plies: read from a file of games, or drawn by a model.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/player_batch.h"
#include "selfplay/matches/players.h"

namespace koridor {

// The openings of a file of games (core/saved_game.h) that are of this one: their first `plies` actions, or all where
// that is negative. Games of other kinds are passed over. Throws UserError that names the file where it cannot be read,
// has no game of this kind, or has an opening that ends the game.
std::vector<std::vector<Action>> read_openings(const std::string& path, const AnyGame& game, int plies = -1);

struct OpeningDraw {
  int openings = 200;  // that are wanted
  int plies = 8;       // of each
  double even = 0.15;  // the judge expects 0.5 points, or at most this much more or less
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
  PlayerBatchOptions batch{};
  std::function<void(int found)> progress{};
};

// An opening, and what the judge expects of it for whoever moves next, in points.
struct DrawnOpening {
  std::vector<Action> actions;
  float value = 0.5f;
};

// Draws openings of a game of two players that lead to different positions: `opener` plays them for both sides, and
// `judge` says which are even. After none of them has anybody won or wins within two plies. There are fewer than wanted
// where many draws in a row bring no new one or all end the game, or `stop` was set. The same seed draws the same
// openings, the first of more are those of fewer, and the number of threads does not matter. Throws UserError where a
// player cannot play the game or the judge expects nothing, and for more than two players.
std::vector<DrawnOpening> draw_openings(const AnyGame& game, const MatchPlayer& opener, const MatchPlayer& judge,
                                        const OpeningDraw& options, const std::atomic<bool>& stop);

}  // namespace koridor
