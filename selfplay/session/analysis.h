// The limits of a session's search, and its result.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/search/clock.h"
#include "core/types.h"

namespace koridor {

// A search ends at the first limit that it reaches, or when its position is proven. It always evaluates
// the position itself.
struct SessionLimits {
  int visits = 400;    // simulations; 0: no limit, which needs one of the others
  double seconds = 0;  // wall time; 0: no limit
  // Of the player to move, as it stands before the action; must outlive the search. Null: none.
  const GameClock* clock = nullptr;
  const std::atomic<bool>* stop = nullptr;  // another thread may set it; must outlive the search; null: none
};

// The result of a search for one legal action.
struct Candidate {
  Action action = kNoAction;
  std::string text;
  float policy = 0;     // its share of the search's policy, in [0, 1]; all shares sum to 1
  float prior = 0;      // its share of the network's policy, in [0, 1]
  int visits = 0;       // simulations that began with it
  float value = 0;      // for the player to move, in [0, 1]; exact if proven, 0 if unvisited
  bool proven = false;  // whether the value is what perfect play gives
  int plies = 0;        // if proven: plies to the end of the game, this action included
};

// The result of a search for a position.
struct Analysis {
  int seat = 0;     // the seat to move
  Values values{};  // of each seat, in [0, 1]
  bool proven = false;
  int visits = 0;      // simulations of this search
  double seconds = 0;  // wall time of this search
  Action best = kNoAction;
  std::string best_text;
  std::vector<Candidate> candidates;  // every legal action, the largest share of the policy first
  std::vector<std::string> line;      // the play that the search expects, beginning with `best`
};

}  // namespace koridor
