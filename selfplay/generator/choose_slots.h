// Chooses how many games are played at once, and on how many threads. More slots make larger batches, which the network
// computes faster, but their trees outgrow the processor's caches, and more threads have too few games left at the end
// of a generation. The best number is therefore measured. The games do not depend on it.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/registry.h"
#include "models/network/evaluator.h"
#include "selfplay/generator/generator.h"

namespace koridor {

inline constexpr int kMostSlots = 256;  // the most that are tried: larger batches gain nothing

struct SlotChoice {
  int threads = 1;
  int slots = 1;       // per thread
  std::string reason;  // "2 threads x 64 slots; evaluations/s tried: 2 x 32: 41100, 2 x 64: 45000"
};

// What is to be chosen, and by what.
struct SlotQuestion {
  int threads = 0;            // 0: all cores, or one thread per core
  int slots = 0;              // per thread; 0: to be chosen
  int games = 0;              // of a generation
  bool shared_cores = false;  // each core runs two threads
};

// Chooses by evaluations per second, which rate(threads, slots) measures. Each try is measured twice, and the faster
// one counts, since other work only slows a run down. The first has 32 slots per thread; the number is doubled while
// that gains 3% or more, or else halved while that loses less than 3%. Where each core runs two threads, one thread per
// core is tried too. The slots are limited so that each thread plays at least four of the games per slot; where these
// are too few for that, nothing is measured.
SlotChoice choose_slots_by(const SlotQuestion& question, const std::function<double(int threads, int slots)>& rate);

// Chooses options.threads and options.selfplay.slots where they are 0. Each measurement plays without a cache for 0.2
// seconds.
SlotChoice choose_slots(const AnyGame& game, const GeneratorOptions& options, const EvaluatorFactory& make_evaluator,
                        int games, const std::atomic<bool>& stop);

}  // namespace koridor
