// Where the time of self-play went. Asked for by GeneratorOptions::ledger.
#pragma once

#include "core/timed_game.h"

namespace koridor {

// Seconds, summed over the threads that play; `writing` is processor time of the thread that stores games.
struct Ledger {
  double network = 0;
  double rules = 0;
  double tree = 0;
  double encoding = 0;
  double cache = 0;
  double writing = 0;
  double starting = 0;  // making evaluators and slots
  double waiting = 0;   // for the other threads, at the end

  void add(const TimeShares& shares) {
    rules += shares.rules;
    tree += shares.tree;
    encoding += shares.encoding;
    cache += shares.cache;
  }
};

}  // namespace koridor
