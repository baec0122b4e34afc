// The levels of play by name, the same wherever a player is named: `koridor play`, `koridor match`, protocols. This
// file and levels.cpp are the one place that says what a level is.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"

namespace koridor {

// How a model chooses its actions.
struct Strength {
  // Simulations of a search; 0: none, the action is drawn from the network's policy; kEndless: as many as there is time
  // for, which `seconds` or the game's clock must limit.
  int visits = 64;
  double temperature = 0;  // of the draw among the actions, in [0, 100]; 0: the best one
  double seconds = 0;      // of wall time for each action; 0: no limit
  int leaves = 1;          // of the search that are evaluated at once, in [1, kMostLeaves]

  static constexpr int kEndless = std::numeric_limits<int>::max();
  static constexpr int kMostLeaves = 256;
  friend bool operator==(const Strength&, const Strength&) = default;
};

struct Level {
  std::string name;
  Strength strength;
};

// All levels, the weakest first. The steps between them are in README.md.
const std::vector<Level>& levels();

// Throws UserError, which lists the levels, where there is none of this name.
const Level& find_level(std::string_view name);

// Whether it is the last one, full strength: where other settings say more than it does, they hold.
bool is_full(const Level& level);

// The place of one of `shares`, of which one at least is above 0: the largest at temperature 0, else drawn in proportion
// to their power 1 / temperature. They are overwritten.
std::size_t draw_share(std::span<float> shares, double temperature, Random& random);

// "beginner, easy, ..., full".
std::string level_names();

}  // namespace koridor
