// Games as they were when this test was written. A change that is meant to leave results as they are leaves the numbers
// below as they are; a change of behaviour writes new ones, which the test prints.
//
// The predictions are drawn from a hash of the encoded position and are exact in every format, so that the numbers
// depend on the rules, the encoding, the search and self-play, but on no network. They hold for builds by g++ with
// fused multiply-add; other compilers round otherwise, and a search follows the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "core/game_end.h"
#include "selfplay/matches/match.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

// FNV-1a over 64-bit words, each mixed first.
class Digest {
 public:
  void add(std::uint64_t word) { sum_ = (sum_ ^ mix64(word)) * 0x100000001B3u; }
  void add(float value) { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  void add(const Values& values) {
    for (float value : values) add(value);
  }
  template <class T>
  void add_all(const std::vector<T>& entries) {
    add(std::uint64_t{entries.size()});
    for (const T& entry : entries) {
      if constexpr (requires { static_cast<std::uint64_t>(entry); }) {
        add(static_cast<std::uint64_t>(entry));
      } else {
        add(entry);
      }
    }
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xCBF29CE484222325u;
};

// Logits in [-2, 2) and any value distribution, drawn from the hash of a position's planes and scalars. All numbers are
// multiples of a power of two or quotients of small integers.
class HashedPlanes : public Evaluator {
 public:
  HashedPlanes(const EncodingShape& shape, int max_batch) : shape_(shape), max_batch_(max_batch) {}

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return "hash of the planes"; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    const auto planes = static_cast<std::size_t>(shape_.plane_floats());
    const auto scalars = static_cast<std::size_t>(shape_.scalars);
    const auto policy = static_cast<std::size_t>(shape_.policy_size());
    const auto values = static_cast<std::size_t>(shape_.value_size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.size); ++row) {
      Digest digest;
      for (float entry : batch.planes.subspan(row * planes, planes)) digest.add(entry);
      for (float entry : batch.scalars.subspan(row * scalars, scalars)) digest.add(entry);
      Random random(digest.sum());
      for (float& logit : out.policy.subspan(row * policy, policy)) {
        logit = static_cast<float>(random.below(4096)) / 1024.0f - 2.0f;
      }
      int total = 0;
      std::array<int, kMaxPlayers + 1> parts{};
      for (std::size_t i = 0; i < values; ++i) total += parts[i] = 1 + random.below(1000);
      for (std::size_t i = 0; i < values; ++i) {
        out.value[row * values + i] = static_cast<float>(parts[i]) / static_cast<float>(total);
      }
    }
  }

 private:
  EncodingShape shape_;
  int max_batch_;
};

std::uint64_t digest_of(const MemorySink& sink) {
  Digest digest;
  for (const auto& [number, game] : sink.games) {
    digest.add(std::uint64_t{number});
    // The numbers are from when every won game ended by code 0.
    const bool won = std::ranges::max(game.outcome) == 1.0f;
    digest.add(static_cast<std::uint64_t>(won ? GameEnd::goal : game.end));
    digest.add(game.outcome);
    digest.add(game.auxiliary);
    digest.add_all(game.actions);
    digest.add_all(game.players);
    digest.add_all(game.kinds);
    digest.add_all(game.values);
    digest.add_all(game.policy_counts);
    digest.add_all(game.policy_actions);
    digest.add_all(game.policy_probabilities);
  }
  return digest.sum();
}

struct GoldenGames {
  const char* game;
  const char* algorithm;
  std::uint64_t digest;
};

// Openings of the raw policy, cheap and full searches, kept subtrees, noise, temperatures.
TEST(Golden, SelfplayGames) {
  if (!kSameRounding) GTEST_SKIP() << "this build rounds otherwise";
  const std::vector<GoldenGames> cases = {
      {"quoridor:5x5,walls=3", "gumbel", 0xD3AD808D82C25033},
      {"quoridor:5x5,walls=3", "puct", 0x5CCA6D15B45819E4},
      {"quoridor4:5x5,walls=2", "gumbel", 0xA125773244D53B43},
      {"quoridor4:5x5,walls=2", "puct", 0x6C38C9DDFC890C25},
      {"go:5x5", "gumbel", 0xB7A071A052E55757},
      {"go:5x5", "puct", 0x58F1FBD61C6D87A5},
      {"blockade:5x7,walls=3", "gumbel", 0xD9629CFD011D1B06},
      {"blockade:5x7,walls=3", "puct", 0xD476735576597BC3},
      {"pinko-pallino:5x5,walls=4", "gumbel", 0x9EB213FAEFEE904C},
      {"pinko-pallino:5x5,walls=4", "puct", 0x4DEC2F7C063BFA7B},
  };
  for (const GoldenGames& golden : cases) {
    GeneratorOptions options = small_options();
    options.selfplay.visits = 40;
    options.selfplay.cheap_visits = 8;
    options.selfplay.opening_plies = 0.08;
    options.search.algorithm = golden.algorithm;
    const auto factory = [](const EncodingShape& shape, int max_batch) {
      return std::make_unique<HashedPlanes>(shape, max_batch);
    };
    const Generated generated = generate(golden.game, options, factory, 6);
    EXPECT_EQ(digest_of(generated.sink), golden.digest)
        << std::hex << "0x" << digest_of(generated.sink) << ": " << golden.game << " " << golden.algorithm;
  }
}

// A model player without a model's numbers: the backend `uniform` looks at its shape alone.
MatchPlayer uniform_player(const std::string& game, const SearchConfig& search) {
  ModelInfo info;
  info.game = game;
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.signature = signature(known.encoding(info.features));
      },
      parse_game(game));
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  return model_player("uniform", std::make_shared<const Model>(random_model(info, 1)), 30, search);
}

struct GoldenMatch {
  const char* game;
  const char* a;  // a player's name, or the algorithm of the uniform model's search
  const char* b;
  std::uint64_t digest;
};

MatchPlayer golden_player(const std::string& game, const std::string& name) {
  SearchConfig search;
  if (name != "gumbel" && name != "puct") return load_player(name, 30, search);
  search.algorithm = name;
  return uniform_player(game, search);
}

TEST(Golden, Matches) {
  if (!kSameRounding) GTEST_SKIP() << "this build rounds otherwise";
  const std::vector<GoldenMatch> cases = {
      {"quoridor:5x5,walls=3", "mcts:60", "alphabeta:2", 0xE84A4CC1ADE8CEFE},
      {"quoridor4:5x5,walls=2", "mcts:40", "alphabeta:2", 0x61804586E90E0F79},
      {"go:5x5", "mcts:30", "greedy", 0xB2B091C61F305F78},
      {"quoridor:5x5,walls=3", "gumbel", "mcts:30", 0xA4087720F3341878},
      {"quoridor:5x5,walls=3", "puct", "gumbel", 0xC1901623CBB06C16},
      {"go:5x5", "gumbel", "puct", 0x222D5C2DB2AC4247},
  };
  for (const GoldenMatch& golden : cases) {
    std::map<int, MatchGame> games;
    MatchOptions options;
    options.games = 8;
    options.evaluation.backend = "uniform";
    options.slots = 3;
    options.threads = 1;
    options.temperature = 0.5;
    options.temperature_plies = 4;
    options.evaluation.cache_mebibytes = 0;
    options.on_game = [&](const MatchGame& game) { games[game.number] = game; };
    play_match(parse_game(golden.game), golden_player(golden.game, golden.a), golden_player(golden.game, golden.b),
               options, kNeverStop);
    Digest digest;
    for (const auto& [number, game] : games) {
      digest.add(static_cast<std::uint64_t>(game.seat));
      digest.add(static_cast<std::uint64_t>(game.opening_plies));
      digest.add(game.outcome.values);
      digest.add_all(game.actions);
    }
    EXPECT_EQ(digest.sum(), golden.digest)
        << std::hex << "0x" << digest.sum() << ": " << golden.game << " " << golden.a << " against " << golden.b;
  }
}

}  // namespace
}  // namespace koridor
