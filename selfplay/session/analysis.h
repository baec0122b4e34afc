// The limits of a session's search, and its result.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "core/search/clock.h"
#include "core/types.h"

namespace koridor {

// A search ends at the first limit that it reaches, or when its position is proven. It always evaluates
// the position itself.
struct SessionLimits {
  int visits = 400;       // simulations, kept ones not counted; 0: no limit, which needs one of the others
  double seconds = 0;     // wall time; 0: no limit
  int nodes = 0;          // visits of the position, kept ones included (Analysis::nodes); 0: no limit
  bool infinite = false;  // only `stop`, which must be given, ends it, even where the position is proven
  bool fresh = false;     // what earlier searches have found of the position is forgotten
  // Of the player to move, as it stands before the action; must outlive the search. Null: none.
  const GameClock* clock = nullptr;
  double margin = 0.02;  // seconds of the clock that are left for the way of the answer (core/search/pace.h)
  const std::atomic<bool>* stop = nullptr;  // another thread may set it; must outlive the search; null: none
  // What is asked of each Analysis.
  int lines = 1;              // so many candidates, the first ones, have their line of play
  bool ownership = false;     // Analysis::ownership
  double report_seconds = 0;  // between two calls of SessionListener::progress; 0: the session's own
};

// The result of a search for one legal action.
struct Candidate {
  Action action = kNoAction;
  std::string text;
  float policy = 0;     // its share of the search's policy, in [0, 1]; all shares sum to 1
  float prior = 0;      // its share of the network's policy, in [0, 1]
  int visits = 0;       // simulations that began with it, kept ones included
  float value = 0;      // for the player to move, in [0, 1]; exact if proven, 0 if unvisited
  Values values{};      // the same for each seat
  bool proven = false;  // whether the value is what perfect play gives
  int plies = 0;        // if proven: plies to the end of the game, this action included
  // The play that the search expects, beginning with this action; of the first SessionLimits::lines candidates.
  std::vector<std::string> line{};
  std::vector<Action> actions{};  // the same as actions

  // Whether the search knows its value.
  bool known() const { return visits > 0 || proven; }
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
  // Every legal action: `best` first, then the largest share of the policy.
  std::vector<Candidate> candidates;
  std::vector<std::string> line;  // the play that the search expects, beginning with `best`
  std::vector<Action> actions;    // the same as actions

  Values raw_values{};              // of each seat, by the network alone, in [0, 1]; its policy is Candidate::prior
  int nodes = 0;                    // visits of the position: those of this search and those kept from earlier ones
  int kept = 0;                     // the latter
  int evaluations = 0;              // positions that the network computed in this search
  double mean_depth = 0;            // plies below the position at which the simulations of this search ended
  int largest_depth = 0;            // the largest number of them
  std::size_t tree_bytes = 0;       // memory of the tree
  std::size_t most_tree_bytes = 0;  // what it may use: a full tree forgets
  // Who will own each point at the end (Go): 1 player 0 (black), -1 the other; [rows * columns] in the order of the
  // actions. Empty where nobody asked for it. A session has it by the network, and empty where that has no such head or
  // never learned on a board of this size; selfplay/analysis takes playouts there.
  std::vector<float> ownership{};
};

}  // namespace koridor
