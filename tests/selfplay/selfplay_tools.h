// What tests of self-play share: small games, settings that finish at once, a sink that keeps the games.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/registry.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "models/network/uniform.h"
#include "selfplay/generator/generator.h"
#include "selfplay/shards/describe_game.h"

namespace koridor {

inline const std::atomic<bool> kNeverStop{false};

// Whether floating-point results have the last bits that golden numbers were written down with: which products and sums
// the compiler contracts depends on the CPU it tunes for and on how it optimises.
#if defined(KORIDOR_O3) && defined(__tune_znver3__) && defined(__FP_FAST_FMA) && defined(NDEBUG) && \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr bool kSameRounding = true;
#else
inline constexpr bool kSameRounding = false;
#endif

inline GeneratorOptions small_options() {
  GeneratorOptions options;
  options.selfplay.slots = 4;
  options.selfplay.visits = 12;
  options.selfplay.cheap_visits = 4;
  options.selfplay.full_share = 0.5;
  options.selfplay.evaluation.cache_mebibytes = 0;
  options.seed = 17;
  options.generation = 3;
  options.model = 0;  // which no shard of a test takes for a later one
  options.threads = 1;
  return options;
}

inline std::vector<std::uint32_t> numbers_up_to(int games) {
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(games));
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

inline EvaluatorFactory uniform_factory() {
  return [](const EncodingShape& shape, int max_batch) { return make_uniform(shape, max_batch); };
}

inline Model small_random_model(const EncodingShape& shape) {
  ModelInfo info;
  info.family = "wall";
  info.game = "quoridor:5x5,walls=3";
  info.network = {
      .blocks = 2, .channels = 16, .pool_every = 2, .policy_channels = 8, .value_channels = 8, .value_hidden = 16};
  info.signature = signature(shape);
  return random_model(info, 5);
}

// A small random network on the given backend.
inline EvaluatorFactory network_factory(const std::string& backend, const std::string& precision = "f32") {
  return [=](const EncodingShape& shape, int max_batch) {
    return make_evaluator(small_random_model(shape), shape, {.backend = backend, .precision = precision}, max_batch,
                          "test");
  };
}

inline std::size_t count_kind(const ShardData& data, PlyKind kind) {
  return static_cast<std::size_t>(std::ranges::count(data.ply_kind, static_cast<std::uint8_t>(kind)));
}

// Keeps the games of each variant as shard data, and the games one by one in order of their numbers.
class MemorySink : public GameSink {
 public:
  explicit MemorySink(const std::vector<AnyGame>& variants) {
    for (const AnyGame& game : variants) {
      shards.emplace_back();
      shards.back().info = describe_game(game);
    }
  }
  void take(const GameRecord& record) override {
    append_game(record, shards.at(static_cast<std::size_t>(record.variant)));
    games[record.number] = record;
  }
  void tick(const SelfplayStatistics&) override { ++ticks; }

  // All games as one shard, in the order of their numbers whatever the order they ended in.
  ShardData in_order() const {
    ShardData data;
    data.info = shards[0].info;
    for (const auto& [number, record] : games) append_game(record, data);
    return data;
  }

  std::vector<ShardData> shards;
  std::map<std::uint32_t, GameRecord> games;
  int ticks = 0;
};

struct Generated {
  MemorySink sink;
  SelfplayStatistics statistics;
};

inline Generated generate(const std::string& variant, const GeneratorOptions& options, const EvaluatorFactory& factory,
                          int games) {
  const AnyGame game = parse_game(variant);
  Generated result{MemorySink(game_variants(game, options.selfplay.repetition_share)), {}};
  result.statistics = generate_games({game, options, factory}, numbers_up_to(games), result.sink, kNeverStop);
  return result;
}

}  // namespace koridor
