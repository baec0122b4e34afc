// The statistics of self-play while it runs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "selfplay/generator/ledger.h"

namespace koridor {

// The statistics of a generator so far. Seconds are summed over the threads unless said otherwise.
struct SelfplayStatistics {
  static constexpr int kLengthBuckets = 32;
  static constexpr int kBucketPlies = 8;

  std::uint64_t games = 0;         // finished games
  std::uint64_t games_wanted = 0;  // of the whole generation
  std::uint64_t draws = 0;
  std::uint64_t finished_plies = 0;                     // plies of finished games
  std::array<std::uint64_t, kLengthBuckets> lengths{};  // finished games by length / kBucketPlies; the last is open

  std::uint64_t plies = 0;           // plies played, those of unfinished games included
  std::uint64_t full_plies = 0;      // of them, plies with a full search: the positions to learn from
  std::uint64_t searched_plies = 0;  // of them, plies with any search
  std::uint64_t simulations = 0;
  std::uint64_t evaluations = 0;  // positions whose prediction was asked for
  std::uint64_t cache_hits = 0;   // of them, positions that the cache knew
  std::uint64_t batches = 0;
  double network_seconds = 0;  // in the evaluator
  double other_seconds = 0;    // rules, search and encoding
  double waiting_seconds = 0;  // without a game, since there was none to start
  std::size_t slot_bytes = 0;  // reserved for one slot and its row of the batch
  Ledger ledger;               // filled in at the end, where GeneratorOptions asked for it
  double seconds = 0;          // wall time

  double mean_plies() const { return games > 0 ? static_cast<double>(finished_plies) / static_cast<double>(games) : 0; }
  double network_share() const {
    const double all = network_seconds + other_seconds;
    return all > 0 ? network_seconds / all : 0;
  }

  // Adds a later round of play of the same generation.
  SelfplayStatistics& operator+=(const SelfplayStatistics& later) {
    games += later.games;
    games_wanted = later.games_wanted;
    draws += later.draws;
    finished_plies += later.finished_plies;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += later.lengths[i];
    plies += later.plies;
    full_plies += later.full_plies;
    searched_plies += later.searched_plies;
    simulations += later.simulations;
    evaluations += later.evaluations;
    cache_hits += later.cache_hits;
    batches += later.batches;
    network_seconds += later.network_seconds;
    other_seconds += later.other_seconds;
    waiting_seconds += later.waiting_seconds;
    slot_bytes = std::max(slot_bytes, later.slot_bytes);
    ledger += later.ledger;
    seconds += later.seconds;
    return *this;
  }
};

// One thread's counters, written by that thread alone and read by others at any time. They start on a cache line of
// their own.
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
  std::atomic<std::uint64_t> waiting_nanoseconds{0};

  // To be read only after the thread has ended.
  Ledger ledger;
  std::chrono::steady_clock::time_point ended{};
  std::size_t slot_bytes = 0;

  // There is a single writer, so a load and a store are enough: no locked instruction is needed.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

}  // namespace koridor
