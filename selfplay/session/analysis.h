// What a search of a session is limited by, and what it found out.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/types.h"

namespace koridor {

// A search ends at the first limit it meets, or when its position is proven; it always evaluates the position itself.
struct SessionLimits {
  int visits = 400;                         // simulations, >= 1
  double seconds = 0;                       // of wall time; 0: no limit
  const std::atomic<bool>* stop = nullptr;  // another thread may set it; null: none. Must outlive the search.
};

// What a search says of one legal action.
struct Candidate {
  Action action = kNoAction;
  std::string text;
  float policy = 0;     // its share of what the search recommends, in [0, 1]; all of them sum to 1
  float prior = 0;      // the network's, in [0, 1]
  int visits = 0;       // simulations that began with it
  float value = 0;      // for the player to move, in [0, 1]; exact if proven, 0 if unvisited
  bool proven = false;  // whether the value is what perfect play gives
  int plies = 0;        // if proven: plies to the end of the game, this action included
};

// What a search says of a position.
struct Analysis {
  int seat = 0;     // to move
  Values values{};  // each seat's, in [0, 1]
  bool proven = false;
  int visits = 0;      // simulations of this search
  double seconds = 0;  // it took
  Action best = kNoAction;
  std::string best_text;
  std::vector<Candidate> candidates;  // every legal action, the most recommended first
};

}  // namespace koridor
