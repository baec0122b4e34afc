// How fast a piece of work is: the median of several runs in this thread's time, so that other work disturbs little.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/thread_time.h"

namespace koridor::bench {

inline constexpr int kRuns = 5;

// Units of work per second of processor time: those of the slowest, the median and the fastest run.
struct Rate {
  double least = 0.0;
  double median = 0.0;
  double most = 0.0;
};

// Throws Stopped where somebody has stopped the program.
inline void require_not_stopped() {
  if (stop_requested().load(std::memory_order_relaxed)) throw Stopped("stopped before everything was measured");
}

// Repeats work(), which returns how many units it did, for at least `seconds`; returns units per second. Throws Stopped
// where somebody stops the program meanwhile.
template <class Work>
double measure_once(Work&& work, double seconds) {
  const double start = thread_seconds();
  double units = 0.0;
  double elapsed = 0.0;
  do {
    units += static_cast<double>(work());
    require_not_stopped();
    elapsed = thread_seconds() - start;
  } while (elapsed < seconds);
  return units / elapsed;
}

// The middle value, or the mean of the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Several runs after one warm-up call.
template <class Work>
Rate measure(Work&& work, double seconds = 0.1) {
  work();
  std::array<double, kRuns> rates{};
  for (double& rate : rates) rate = measure_once(work, seconds);
  std::sort(rates.begin(), rates.end());
  return {rates.front(), rates[kRuns / 2], rates.back()};
}

// Keeps the compiler from dropping a result that nothing else reads.
template <class Value>
void keep(const Value& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace koridor::bench
