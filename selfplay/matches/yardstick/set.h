// A set of positions on which players are measured, and what is known of each. Ratings compare players with each other;
// the yardstick compares them with the truth, or with a much longer search where no truth can be had.
//
// The set of a solved game has the proven value of every legal action. Its positions come from games in which each ply
// is, with equal chance, a proven best action or any legal one, so that all kinds of mistakes have been made. Only
// positions count in which some action keeps the value and another gives it away.
//
// The set of any other game has what a player's search says: which action it chose, what it expects of the position and
// the policy that it arrived at. Its positions come from games in which each ply is, with equal chance, the one after
// which the game's own heuristic is largest, or any legal one.
//
// Either way the positions depend on the game and the seed alone, not on the players, so that figures of different
// models and runs can be compared. docs/yardsticks.md says what is measured; set_file.h keeps sets in files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/types.h"

namespace koridor {

// What is known of one legal action.
struct KnownAction {
  Action action = kNoAction;
  bool keeps = false;  // whether it keeps the position's value; of a reference: whether it was chosen
  // Of proven sets: what it is worth to the player who plays it, 0, 0.5 or 1, and the plies to the end, this one
  // included; 0 for a draw and where the solver counts none.
  float points = 0;
  int distance = 0;
  // What a policy is compared with, sum 1 over the actions: equal shares of the quickest of those that keep the value;
  // of a reference: its policy.
  float target = 0;
  friend bool operator==(const KnownAction&, const KnownAction&) = default;
};

struct YardstickPosition {
  std::vector<Action> actions;     // from the first position to this one
  float value = 0;                 // the mover's points, in [0, 1]: proven, or what the reference expects
  std::vector<KnownAction> known;  // every legal action, in rising order

  const KnownAction* find(Action action) const;  // null for one that is not legal
  int keeping() const;                           // the number of actions that keep the value
  friend bool operator==(const YardstickPosition&, const YardstickPosition&) = default;
};

// Whose judgement the set has, where nothing is proven.
struct Reference {
  std::string player;    // as it was written
  std::string checksum;  // of its model; empty where it has none
  int visits = 0;        // of a search, the most there were
  friend bool operator==(const Reference&, const Reference&) = default;
};

struct YardstickSet {
  std::string game;  // canonical name
  std::uint64_t seed = 1;
  bool proven = true;
  Reference reference{};  // where it is not proven
  std::vector<YardstickPosition> positions;
  friend bool operator==(const YardstickSet&, const YardstickSet&) = default;
};

// Sets what follows from the points and distances of a solved position's actions: its value, which actions keep it, and
// the target. There is at least one action.
void complete_proven(YardstickPosition& position);

// The expected share, in [0, 1], of a player that chooses every legal action with equal chance.
double random_share(std::span<const YardstickPosition> positions);

}  // namespace koridor
