// Where the time of self-play went; measured where GeneratorOptions::ledger asks for it.
#pragma once

#include "core/timed_game.h"

namespace koridor {

// Seconds, summed over the threads that play; `writing` is the processor time of the thread that stores games.
struct Ledger {
  double network = 0;
  double rules = 0;
  double tree = 0;
  double encoding = 0;
  double cache = 0;
  double writing = 0;
  double starting = 0;  // making evaluators and slots
  double waiting = 0;   // for the other threads at the end of the generation

  void add(const TimeShares& shares) {
    rules += shares.rules;
    tree += shares.tree;
    encoding += shares.encoding;
    cache += shares.cache;
  }

  Ledger& operator+=(const Ledger& other) {
    network += other.network;
    rules += other.rules;
    tree += other.tree;
    encoding += other.encoding;
    cache += other.cache;
    writing += other.writing;
    starting += other.starting;
    waiting += other.waiting;
    return *this;
  }
};

}  // namespace koridor
