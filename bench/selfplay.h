// How fast is self-play, and where does its time go? `koridor bench selfplay` prints what this measures.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "core/registry.h"
#include "core/search/config.h"
#include "models/network/model_file.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/ledger.h"

namespace koridor::bench {

struct SelfplayTask {
  AnyGame game;
  Model model;
  SelfplayConfig selfplay;  // `games` is not looked at
  SearchConfig search;
  int threads = 0;      // 0: all cores
  double seconds = 10;  // measured, after ...
  double warm_up = 2;   // ... so many
};

// All threads together. Rates are a second: of evaluations the median over windows of about a second, of the rest the
// mean, which wants some moves of every slot.
struct SelfplayFigures {
  std::string evaluator;
  int threads = 0;
  int slots = 0;               // of each
  double evaluations = 0;      // positions the network computed
  double batch = 0;            // of them in one call
  double hit_share = 0;        // of all positions asked for, those the cache knew
  double moves = 0;            // searched plies
  double rows = 0;             // plies with a full search: positions to learn from
  double visits = 0;           // simulations; kept ones are not counted again
  double games = 0;            // finished
  Ledger ledger;               // of the whole run
  double seconds = 0;          // of the whole run, by the clock on the wall
  std::size_t slot_bytes = 0;  // reserved
};

// Plays games into a temporary folder, with the model calibrated for int8 where it is not. Ends early once `stop` is
// set (then the figures may be zero).
SelfplayFigures measure_selfplay(const SelfplayTask& task, const std::atomic<bool>& stop);

// Prints the figures and the memory of a slot, reserved and as the process grows by it.
void bench_selfplay(const SelfplayTask& task, const std::atomic<bool>& stop);

// Two lines: shares of the threads' time.
std::string ledger_text(const SelfplayFigures& figures);

}  // namespace koridor::bench
