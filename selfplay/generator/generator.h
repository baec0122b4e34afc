// Plays games in bulk, on OpenMP threads. Each thread has many game slots and an evaluator of its own, which evaluates
// the slots' positions as one batch. The threads share only the source of game numbers and the queue of finished games.
//
//   thread:  [slot 0 | slot 1 | ... ] -> batch -> evaluator -> back to the slots -> ...      finished -> housekeeper
//
// Where the evaluator computes elsewhere, on a GPU (tickets() > 1), the slots form as many groups as there are tickets:
// while one group's batch is being evaluated, the thread plays on in another.
//
// A game depends on the seed, the generation, its number and the model alone: not on threads, slots or batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/registry.h"
#include "core/search/config.h"
#include "models/network/evaluator.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/game_source.h"
#include "selfplay/generator/statistics.h"
#include "selfplay/shards/game_record.h"

namespace koridor {

struct GeneratorOptions {
  // slots must be at least 1. Not used: games, first_games, shard_seconds, and of evaluation all but the cache.
  SelfplayConfig selfplay;
  SearchConfig search;
  Features features;
  std::uint64_t seed = 1;
  int generation = 0;         // of the games of a list
  int model = -1;             // the generation of the model, for the records; -1: `generation`
  int threads = 0;            // 0: all cores
  bool ledger = false;        // whether to measure where the time goes (ledger.h)
  double tick_seconds = 0.5;  // between two calls of GameSink::tick
};

// Receives the finished games. It is called from one thread that does nothing else, so it may write files.
class GameSink {
 public:
  virtual ~GameSink() = default;
  virtual void take(const GameRecord& record) = 0;
  // Called every GeneratorOptions::tick_seconds, and once at the end.
  virtual void tick(const SelfplayStatistics& statistics) = 0;
};

// A model to play with, and its generation.
struct NumberedModel {
  std::uint32_t number = 0;
  EvaluatorFactory make_evaluator;
};

// Where newer models come from while games are played.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  // The newest model, where it is newer than this one; nothing where there is none now. Called several times per second
  // by a thread that does nothing else, so it may read files.
  virtual std::optional<NumberedModel> newer(std::uint32_t than) = 0;
  // Every thread has been given this model: it begins its next games with it, once it has none of the model before the
  // present one. Called by the same thread.
  virtual void given(std::uint32_t) {}
};

// What games are played with; all of it must outlive the call.
struct GameMaking {
  const AnyGame& game;
  const GeneratorOptions& options;
  const EvaluatorFactory& make_evaluator;
};

// The rules that games are played by: the game itself and, where repetition_share is above 0, the game with the rule of
// threefold repetition. GameRecord::variant is an index into this list.
std::vector<AnyGame> game_variants(const AnyGame& game, double repetition_share);

// Plays the games that the source gives out, until it is over, and gives each to the sink, in any order. Once `stop` is
// set, it ends within a batch and drops the games in flight. An exception of an evaluator or the sink stops all threads
// and is thrown again here.
//
// Games that begin after `newer` gave a newer model are played with that one; each game is played to its end with the
// model that it began with. A thread plays with at most two models at a time: it takes a third one once it has no game
// of the first any more. The third lies ready for it meanwhile, with an evaluator and a cache as well, and a fourth
// takes the place of the third while that was not taken. Not together with GeneratorOptions::ledger.
SelfplayStatistics generate_games(const GameMaking& making, GameSource& source, GameSink& sink,
                                  const std::atomic<bool>& stop, ModelSource* newer = nullptr);
// The same for the games of these numbers.
SelfplayStatistics generate_games(const GameMaking& making, std::span<const std::uint32_t> numbers, GameSink& sink,
                                  const std::atomic<bool>& stop);

}  // namespace koridor
