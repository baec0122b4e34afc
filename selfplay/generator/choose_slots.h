// How many games at once, on how many threads? More slots make larger batches, which suit the network, but more trees
// than the processor's caches hold, and a longer tail of a generation in which few games are left. So it is tried out.
// Games do not depend on it.
#pragma once

#include <atomic>
#include <string>

#include "core/registry.h"
#include "models/network/evaluator.h"
#include "selfplay/generator/generator.h"

namespace koridor {

inline constexpr int kMostSlots = 256;  // that are tried; batches need to be no larger

struct SlotChoice {
  int threads = 1;
  int slots = 1;       // of each thread
  std::string reason;  // "2 threads x 64 slots; tried 32: 41.1k, 64: 45.0k evaluations/s"
};

// Fills in what is 0 in options.threads and options.selfplay.slots: plays without a cache, twice a fifth of a second,
// with 32 slots a thread, then with twice as many while that gains 3%, or else with half as many while that loses less
// than 3%. Where cores run two threads each, one thread a core is tried too. Never more slots than leave each thread
// four times as many of the `games`; where these are few nothing is measured.
SlotChoice choose_slots(const AnyGame& game, const GeneratorOptions& options, const EvaluatorFactory& make_evaluator,
                        int games, const std::atomic<bool>& stop);

}  // namespace koridor
