// Random games played by the engine and by the plain implementation of the rules side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/wall/game.h"

namespace koridor::wall {

struct Compared {
  long positions = 0;
  long passes = 0;       // positions with nothing but a pass
  long wins = 0;         // games
  long draws = 0;        // games
  std::string mismatch;  // empty, or what differs where: games stop there
};

// The variant string of a wall game with rules drawn at random: every preset, size, number of players and parameter.
std::string random_variant(Random& random);

// Plays one game with random actions and compares legal actions, who is to move, distances and outcome in every
// position. Games end early once nobody has had a wall for `walless_plies` plies: their ends have little new to show.
void compare_with_naive(const WallGame& game, Random& random, Compared& compared, int walless_plies = 15);

// Leaves `depth` plies below the first position, depth >= 1, counted by the plain implementation alone.
std::uint64_t naive_perft(const WallGame& game, int depth);

// A line of golden/wall_perft.txt.
struct GoldenPerft {
  std::string variant;
  std::vector<std::uint64_t> leaves;  // at depth 1, 2, 3...
  int confirmed = 0;                  // depth to which the plain implementation counted the same
};
std::vector<GoldenPerft> read_golden_perft();

}  // namespace koridor::wall
