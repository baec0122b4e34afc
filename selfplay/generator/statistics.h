// Numbers about self-play while it runs.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "selfplay/generator/ledger.h"

namespace koridor {

// What a generator has done so far. Seconds are summed over threads unless said.
struct SelfplayStatistics {
  static constexpr int kLengthBuckets = 32;
  static constexpr int kBucketPlies = 8;

  std::uint64_t games = 0;         // finished
  std::uint64_t games_wanted = 0;  // in all
  std::uint64_t draws = 0;
  std::uint64_t finished_plies = 0;                     // of finished games
  std::array<std::uint64_t, kLengthBuckets> lengths{};  // finished games by length / kBucketPlies; the last is open

  std::uint64_t plies = 0;           // played, unfinished games included
  std::uint64_t full_plies = 0;      // of these with a full search: the positions to learn from
  std::uint64_t searched_plies = 0;  // with any search
  std::uint64_t simulations = 0;
  std::uint64_t evaluations = 0;  // positions handed to the evaluator
  std::uint64_t cache_hits = 0;   // of these, those its cache knew
  std::uint64_t batches = 0;
  double network_seconds = 0;  // in the evaluator
  double other_seconds = 0;    // rules, search, encoding, waiting for nothing
  std::size_t slot_bytes = 0;  // reserved for one slot, and its row of the batch
  Ledger ledger;               // at the end, where GeneratorOptions asked for it
  double seconds = 0;          // by the clock on the wall

  double mean_plies() const { return games > 0 ? static_cast<double>(finished_plies) / static_cast<double>(games) : 0; }
  double network_share() const {
    const double all = network_seconds + other_seconds;
    return all > 0 ? network_seconds / all : 0;
  }
};

// One thread's part, written by that thread alone and read by others at any time. On a cache line of its own.
struct alignas(64) ThreadCounters {
  std::atomic<std::uint64_t> plies{0};
  std::atomic<std::uint64_t> full_plies{0};
  std::atomic<std::uint64_t> searched_plies{0};
  std::atomic<std::uint64_t> simulations{0};
  std::atomic<std::uint64_t> evaluations{0};
  std::atomic<std::uint64_t> cache_hits{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> network_nanoseconds{0};
  std::atomic<std::uint64_t> other_nanoseconds{0};

  // Read after the thread has ended only.
  Ledger ledger;
  std::chrono::steady_clock::time_point ended{};
  std::size_t slot_bytes = 0;

  // With a single writer a load and a store do; no locked instruction.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

}  // namespace koridor
