// What games are played, and what is stored and counted of them.
#include "selfplay/generator/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include "core/game_end.h"
#include "selfplay/shards/verify.h"
#include "tests/selfplay/generator_tools.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Generator, EveryGameIsPlayedOnceAndByTheRules) {
  for (const char* variant : {"quoridor:3x3,walls=1", kGame, "quoridor:4x6,walls=2", "quoridor:7x7,walls=8"}) {
    const Generated generated = generate(variant, small_options(), uniform_factory(), 13);
    EXPECT_EQ(generated.sink.games.size(), 13u);
    EXPECT_EQ(generated.sink.shards[0].games(), 13u);
    EXPECT_THAT(verify_shard(generated.sink.shards[0]), IsEmpty()) << variant;
  }
}

TEST(Generator, AGameThatEndsInItsOpeningCounts) {
  GeneratorOptions options = small_options();
  options.selfplay.opening_plies = 1.0;  // 25 plies on average: many games are over before a search
  const Generated generated = generate(kGame, options, uniform_factory(), 200);
  EXPECT_EQ(generated.sink.games.size(), 200u);
  EXPECT_THAT(verify_shard(generated.sink.shards[0]), IsEmpty());
}

// The heart of reproducibility: what a game is depends on its number, not on how the work was shared out.
TEST(Generator, ThreadsSlotsAndBatchesDoNotChangeTheGames) {
  const std::vector<EvaluatorFactory> factories{uniform_factory(), network_factory("eigen"), network_factory("onednn"),
                                                network_factory("onednn", "auto")};
  for (const EvaluatorFactory& factory : factories) {
    GeneratorOptions options = small_options();
    const ShardData reference = generate(kGame, options, factory, 24).sink.in_order();
    options.threads = 2;
    EXPECT_EQ(generate(kGame, options, factory, 24).sink.in_order(), reference);
    options.selfplay.slots = 1;
    EXPECT_EQ(generate(kGame, options, factory, 24).sink.in_order(), reference);
    options.selfplay.slots = 17;
    options.threads = 3;
    EXPECT_EQ(generate(kGame, options, factory, 24).sink.in_order(), reference);
  }
}

TEST(Generator, PuctIsReproducibleToo) {
  GeneratorOptions options = small_options();
  options.search.algorithm = "puct";
  const ShardData reference = generate(kGame, options, network_factory("eigen"), 12).sink.in_order();
  EXPECT_THAT(verify_shard(reference), IsEmpty());
  options.threads = 2;
  options.selfplay.slots = 3;
  EXPECT_EQ(generate(kGame, options, network_factory("eigen"), 12).sink.in_order(), reference);
}

TEST(Generator, SeedGenerationAndNumberChangeTheGames) {
  GeneratorOptions options = small_options();
  const ShardData reference = generate(kGame, options, uniform_factory(), 8).sink.in_order();
  options.seed += 1;
  EXPECT_NE(generate(kGame, options, uniform_factory(), 8).sink.in_order().ply_action, reference.ply_action);
  options.seed -= 1;
  options.generation += 1;
  EXPECT_NE(generate(kGame, options, uniform_factory(), 8).sink.in_order().ply_action, reference.ply_action);
  std::set<std::vector<std::uint16_t>> different;
  options.generation -= 1;
  for (const auto& [number, record] : generate(kGame, options, uniform_factory(), 8).sink.games) {
    different.insert(record.actions);
  }
  EXPECT_GT(different.size(), 6u);
}

TEST(Generator, VisitsOfAGenerationGrowByEqualFactorsToAllOfThem) {
  SelfplayConfig config;
  config.visits = 100;
  config.cheap_visits = 20;
  EXPECT_EQ(visits_in(config, 0).full, 100) << "by default all from the start";
  config.progressive_share = 0.25;
  config.progressive_generations = 4;
  std::vector<int> full, cheap;
  for (std::uint32_t generation = 0; generation < 6; ++generation) {
    full.push_back(visits_in(config, generation).full);
    cheap.push_back(visits_in(config, generation).cheap);
  }
  EXPECT_THAT(full, ElementsAre(25, 35, 50, 71, 100, 100));
  EXPECT_THAT(cheap, ElementsAre(5, 7, 10, 14, 20, 20));
  config.progressive_share = 0.01;
  EXPECT_EQ(visits_in(config, 0).cheap, 1) << "a search has one simulation at least";
}

TEST(Generator, SearchesOfTheFirstGenerationsHaveFewerVisits) {
  GeneratorOptions few = small_options();
  few.selfplay.visits = 6;
  few.selfplay.cheap_visits = 2;
  GeneratorOptions progressive = small_options();  // twelve and four
  progressive.selfplay.progressive_share = 0.25;
  progressive.selfplay.progressive_generations = 2 * progressive.generation;
  EXPECT_EQ(generate(kGame, progressive, uniform_factory(), 8).sink.in_order(),
            generate(kGame, few, uniform_factory(), 8).sink.in_order());
  progressive.selfplay.progressive_generations = progressive.generation;
  EXPECT_EQ(generate(kGame, progressive, uniform_factory(), 8).sink.in_order(),
            generate(kGame, small_options(), uniform_factory(), 8).sink.in_order());
}

// The games of chosen numbers are the same as in a run of all: what a restarted worker relies on.
TEST(Generator, MissingGamesCanBePlayedAlone) {
  const Generated all = generate(kGame, small_options(), uniform_factory(), 12);
  const AnyGame game = parse_game(kGame);
  MemorySink some({game});
  generate_games({game, small_options(), uniform_factory()}, std::vector<std::uint32_t>{3, 11, 7}, some, kNeverStop);
  ASSERT_EQ(some.games.size(), 3u);
  for (const auto& [number, record] : some.games) {
    EXPECT_EQ(record.actions, all.sink.games.at(number).actions);
    EXPECT_EQ(record.policy_probabilities, all.sink.games.at(number).policy_probabilities);
  }
}

TEST(Generator, OnlyFullSearchesAreTargetsAndTheirShareIsAsAsked) {
  GeneratorOptions options = small_options();
  options.selfplay.full_share = 0.25;
  const Generated generated = generate(kGame, options, uniform_factory(), 150);
  const ShardData& data = generated.sink.shards[0];
  const std::size_t full = count_kind(data, PlyKind::full);
  const std::size_t cheap = count_kind(data, PlyKind::cheap);
  const double share = static_cast<double>(full) / static_cast<double>(full + cheap);
  EXPECT_NEAR(share, 0.25, 0.04);
  for (std::size_t ply = 0; ply < data.plies(); ++ply) {
    EXPECT_EQ(data.policy_count[ply] > 0, data.ply_kind[ply] == static_cast<std::uint8_t>(PlyKind::full));
  }
  EXPECT_EQ(generated.statistics.full_plies, full);
}

// Without walls every position of two players is a race, which the rules know.
TEST(Generator, WhereTheRulesKnowTheValueAsManyPositionsAreLearnedFromAsAsked) {
  const auto full_share = [](const std::string& game, double known_share) {
    GeneratorOptions options = small_options();
    options.selfplay.full_share = 0.5;
    options.selfplay.known_share = known_share;
    const Generated generated = generate(game, options, uniform_factory(), 100);
    const ShardData& data = generated.sink.shards[0];
    const auto full = static_cast<double>(count_kind(data, PlyKind::full));
    return full / (full + static_cast<double>(count_kind(data, PlyKind::cheap)));
  };
  EXPECT_EQ(full_share("quoridor:5x5,walls=0", 0), 0);
  EXPECT_NEAR(full_share("quoridor:5x5,walls=0", 0.5), 0.25, 0.06);
  EXPECT_NEAR(full_share("quoridor:5x5,walls=0", 1), 0.5, 0.06);
  EXPECT_GT(full_share("quoridor:5x5,walls=3", 0), 0.1);
  EXPECT_LT(full_share("quoridor:5x5,walls=3", 0), 0.4);
}

// Depths and surprise are stored per ply. With a flat prior over n actions the surprise is log n less the entropy of
// the policy target.
TEST(Generator, StoresWhatEachSearchWasLike) {
  GeneratorOptions options = small_options();
  options.search.algorithm = "puct";
  const Generated generated = generate(kGame, options, uniform_factory(), 20);
  const auto game = std::get<wall::WallGame>(parse_game(kGame));
  const History none(1);
  std::set<int> depths;
  for (const auto& [number, record] : generated.sink.games) {
    std::size_t entry = 0;
    for (std::size_t ply = 0; ply < record.plies(); ++ply) {
      const double depth = record.depths.at(ply) / 100.0;
      EXPECT_LE(depth, record.largest_depths.at(ply));
      EXPECT_LE(record.largest_depths[ply], 12);
      depths.insert(record.largest_depths[ply]);
      EXPECT_TRUE(record.kinds[ply] != PlyKind::opening || record.largest_depths[ply] == 0);
      EXPECT_TRUE(record.kinds[ply] == PlyKind::full || record.surprises.at(ply) == 0);
      if (record.policy_counts[ply] == 0) continue;
      const auto bytes = static_cast<std::size_t>(game.packed_size());
      const auto state = game.unpack(std::span(record.states).subspan(ply * bytes, bytes));
      ActionMask legal;
      game.legal_actions(*state, none, legal);
      double expected = std::log(legal.count());
      for (int i = 0; i < record.policy_counts[ply]; ++i, ++entry) {
        const double share = record.policy_probabilities[entry] / 65535.0;
        expected += share * std::log(share);
      }
      EXPECT_NEAR(record.surprises.at(ply) / 1000.0, expected, 0.002);
    }
  }
  EXPECT_GT(depths.size(), 3u);
  EXPECT_EQ(generated.sink.in_order().ply_depth.size(), generated.sink.in_order().plies());
}

// Whoever won.
TEST(Generator, AGameOfGoSaysWhatEndedIt) {
  const ShardData data = generate("go:2x2,leaflet", small_options(), uniform_factory(), 20).sink.in_order();
  EXPECT_GT(std::ranges::count(data.game_end, static_cast<std::uint8_t>(GameEnd::passes)), 15);
  EXPECT_GT(std::ranges::count(data.game_outcome, 1.0f), 15);
  const ShardData few = generate("go:5x5,leaflet-strict", small_options(), uniform_factory(), 20).sink.in_order();
  EXPECT_GT(std::ranges::count(few.game_end, static_cast<std::uint8_t>(GameEnd::supply)), 0);
}

TEST(Generator, OpeningsHaveTheMeanLengthAsked) {
  GeneratorOptions options = small_options();
  options.selfplay.visits = options.selfplay.cheap_visits = 2;
  options.selfplay.opening_plies = 0;
  const ShardData none = generate(kGame, options, uniform_factory(), 50).sink.in_order();
  EXPECT_EQ(count_kind(none, PlyKind::opening), 0u);
  options.selfplay.opening_plies = 0.12;  // 3 plies of 25 squares
  const ShardData some = generate(kGame, options, uniform_factory(), 600).sink.in_order();
  // The whole plies of an exponential variable of mean m are 1 / (exp(1 / m) - 1) on average.
  EXPECT_NEAR(static_cast<double>(count_kind(some, PlyKind::opening)) / 600, 1 / (std::exp(1.0 / 3.0) - 1), 0.35);
}

TEST(Generator, OpeningsAreDrawnFromTheRawPolicy) {
  GeneratorOptions options = small_options();
  options.selfplay.opening_plies = 1;
  const auto factory = [](const EncodingShape& shape, int max_batch) {
    return std::make_unique<OneActionEvaluator>(shape, max_batch, std::vector<int>{17});  // the pawn's first step
  };
  const Generated generated = generate(kGame, options, factory, 40);
  int liked = 0;
  int openings = 0;
  for (const auto& [number, record] : generated.sink.games) {
    if (record.kinds[0] != PlyKind::opening) continue;
    ++openings;
    liked += record.actions[0] == 17 ? 1 : 0;
  }
  EXPECT_GT(openings, 30);
  EXPECT_EQ(liked, openings);
}

TEST(Generator, WithoutNoiseOpeningAndTemperatureAllGamesAreOne) {
  GeneratorOptions options = small_options();
  options.selfplay.full_share = 0;
  options.selfplay.opening_plies = 0;
  options.selfplay.temperature = options.selfplay.temperature_end = 0;
  const auto different = [&] {
    std::set<std::vector<std::uint16_t>> games;
    for (const auto& [number, record] : generate(kGame, options, network_factory("eigen"), 10).sink.games) {
      games.insert(record.actions);
    }
    return games.size();
  };
  EXPECT_EQ(different(), 1u);
  options.selfplay.temperature = 2;
  EXPECT_GT(different(), 5u);
}

TEST(Generator, TheTemperatureFallsAlongTheGame) {
  GeneratorOptions options = small_options();
  options.selfplay.full_share = 0;
  options.selfplay.opening_plies = 0;
  options.selfplay.temperature = 0;
  options.selfplay.temperature_end = 2;  // rising here: then the first ply is always the same, the later ones are not
  options.selfplay.temperature_half_life = 1;
  std::set<std::uint16_t> first;
  std::set<std::uint16_t> fourth;
  for (const auto& [number, record] : generate(kGame, options, network_factory("eigen"), 20).sink.games) {
    first.insert(record.actions.at(0));
    fourth.insert(record.actions.at(3));
  }
  EXPECT_EQ(first.size(), 1u);
  EXPECT_GT(fourth.size(), 1u);
}

TEST(Generator, AShareOfGamesIsPlayedWithTheRepetitionRule) {
  GeneratorOptions options = small_options();
  options.selfplay.visits = options.selfplay.cheap_visits = 2;
  options.selfplay.repetition_share = 0.5;
  const Generated generated = generate("quoridor:3x3,walls=0", options, uniform_factory(), 200);
  ASSERT_EQ(generated.sink.shards.size(), 2u);
  EXPECT_NEAR(static_cast<double>(generated.sink.shards[1].games()), 100, 30);
  EXPECT_EQ(generated.sink.shards[0].games() + generated.sink.shards[1].games(), 200u);
  EXPECT_EQ(generated.sink.shards[0].info.rules.at("repetition"), "0");
  EXPECT_EQ(generated.sink.shards[1].info.rules.at("repetition"), "3");
  for (const ShardData& shard : generated.sink.shards) EXPECT_THAT(verify_shard(shard), IsEmpty());
}

TEST(Generator, StatisticsAddUp) {
  GeneratorOptions options = small_options();
  options.threads = 2;
  const Generated generated = generate(kGame, options, uniform_factory(), 40);
  const SelfplayStatistics& statistics = generated.statistics;
  const ShardData& data = generated.sink.shards[0];
  EXPECT_EQ(statistics.games, 40u);
  EXPECT_EQ(statistics.games_wanted, 40u);
  EXPECT_EQ(statistics.plies, data.plies());
  EXPECT_EQ(statistics.finished_plies, data.plies());
  EXPECT_EQ(std::accumulate(statistics.lengths.begin(), statistics.lengths.end(), 0u), 40u);
  EXPECT_GE(statistics.evaluations, statistics.batches);
  EXPECT_LE(statistics.evaluations, statistics.batches * 4);
  EXPECT_GT(statistics.evaluations, data.plies());
  EXPECT_EQ(statistics.searched_plies, data.plies() - count_kind(data, PlyKind::opening));
  EXPECT_GT(statistics.simulations, statistics.searched_plies);
  EXPECT_LE(statistics.simulations, 12 * statistics.searched_plies);
  const auto sum = [](const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum(data.game_simulations), statistics.simulations);
  EXPECT_EQ(sum(data.game_evaluations), statistics.evaluations);
  EXPECT_GT(statistics.other_seconds, 0);
  EXPECT_GT(statistics.network_seconds, 0);
  EXPECT_LT(statistics.network_share(), 1);
  EXPECT_GE(generated.sink.ticks, 1);
}

// Timing must not change what is played; every part of the work takes time, and all together what the threads had.
TEST(Generator, ItsLedgerAddsUpAndChangesNothing) {
  GeneratorOptions options = small_options();
  options.selfplay.evaluation.cache_mebibytes = 1;
  options.threads = 2;
  const ShardData reference = generate(kGame, options, network_factory("eigen"), 60).sink.in_order();
  options.ledger = true;
  const Generated generated = generate(kGame, options, network_factory("eigen"), 60);
  EXPECT_EQ(generated.sink.in_order(), reference);
  const Ledger& ledger = generated.statistics.ledger;
  for (const double part :
       {ledger.network, ledger.rules, ledger.tree, ledger.encoding, ledger.cache, ledger.writing, ledger.starting}) {
    EXPECT_GT(part, 0);
  }
  EXPECT_NEAR(ledger.network, generated.statistics.network_seconds, 1e-6);
  EXPECT_NEAR(ledger.rules + ledger.tree + ledger.encoding + ledger.cache, generated.statistics.other_seconds,
              0.05 * generated.statistics.other_seconds);
  EXPECT_GE(ledger.waiting, 0);
}

TEST(Generator, TheCacheChangesNothingAndIsCounted) {
  GeneratorOptions options = small_options();
  const Generated plain = generate(kGame, options, network_factory("eigen"), 24);
  options.selfplay.evaluation.cache_mebibytes = 1;
  const Generated cached = generate(kGame, options, network_factory("eigen"), 24);
  EXPECT_EQ(cached.sink.in_order(), plain.sink.in_order());
  EXPECT_EQ(plain.statistics.cache_hits, 0u);
  EXPECT_GT(cached.statistics.cache_hits, cached.statistics.evaluations / 20);
  EXPECT_LT(cached.statistics.cache_hits, cached.statistics.evaluations);
}

TEST(Generator, NoGamesIsNoWork) {
  const Generated generated = generate(kGame, small_options(), uniform_factory(), 0);
  EXPECT_EQ(generated.statistics.games, 0u);
  EXPECT_EQ(generated.sink.games.size(), 0u);
}

}  // namespace
}  // namespace koridor
