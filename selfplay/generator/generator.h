// Plays games in bulk: OpenMP threads, each with many game slots and an evaluator of its own, which sees the slots'
// positions as one batch. Threads share only the counter that hands out game numbers and the list finished games go to.
//
//   thread:  [slot 0 | slot 1 | ... ] -> batch -> evaluator -> back to the slots -> ...      finished -> housekeeper
//
// Where the evaluator computes elsewhere, on a GPU (tickets() > 1), the slots are in as many groups, and while one
// group's batch is under way the thread plays on in another.
//
// A game depends on (seed, generation, its number) and the model alone: not on threads, slots or batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/registry.h"
#include "core/search/config.h"
#include "models/network/evaluator.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/statistics.h"
#include "selfplay/shards/game_record.h"

namespace koridor {

struct GeneratorOptions {
  SelfplayConfig
      selfplay;  // slots at least 1 here; of evaluation the cache alone is looked at, games and shards are not
  SearchConfig search;
  Features features;
  std::uint64_t seed = 1;
  int generation = 0;
  int threads = 0;            // 0: all cores
  bool ledger = false;        // say where the time goes (ledger.h)
  double tick_seconds = 0.5;  // between calls of GameSink::tick
};

// Where finished games go. Called from one thread that does nothing else, so it may write files.
class GameSink {
 public:
  virtual ~GameSink() = default;
  virtual void take(const GameRecord& record) = 0;
  // Every GeneratorOptions::tick_seconds, and once at the end.
  virtual void tick(const SelfplayStatistics& statistics) = 0;
};

// The rules games are played by: the game itself and, where a share of games is played with the threefold repetition
// rule, the game with that rule. GameRecord::variant is the place in this list.
std::vector<AnyGame> game_variants(const AnyGame& game, double repetition_share);

// Plays the games of these numbers and gives each to the sink, in any order. Once `stop` is set, ends within a batch;
// games in flight are dropped. An exception of an evaluator or the sink stops all and is thrown again here.
SelfplayStatistics generate_games(const AnyGame& game, const GeneratorOptions& options,
                                  const EvaluatorFactory& make_evaluator, std::span<const std::uint32_t> numbers,
                                  GameSink& sink, const std::atomic<bool>& stop);

}  // namespace koridor
