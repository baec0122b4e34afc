// Perft against published counts and golden ones of our own: one wrong rule changes them.
#include "core/perft.h"

#include <gtest/gtest.h>

#include <set>

#include "core/registry.h"
#include "tests/core/naive_comparison.h"

namespace koridor {
namespace {

struct KnownCounts {
  const char* variant;
  std::vector<std::uint64_t> leaves;  // depth 1, 2, 3...
};

void PrintTo(const KnownCounts& counts, std::ostream* out) {
  *out << counts.variant;
}

class Perft : public testing::TestWithParam<KnownCounts> {};

TEST_P(Perft, MatchesKnownCounts) {
  const wall::WallGame game = std::get<wall::WallGame>(parse_game(GetParam().variant));
  const Position position(game);
  int depth = 0;
  for (const std::uint64_t leaves : GetParam().leaves) EXPECT_EQ(perft(game, position, ++depth), leaves) << depth;
}

INSTANTIATE_TEST_SUITE_P(WallGames, Perft,
                         testing::Values(KnownCounts{"quoridor", {131, 16677, 2062264}},
                                         KnownCounts{
                                             "quoridor:walls=0",
                                             {3, 9, 30, 100, 350, 1225, 4410, 15876, 57960, 211600, 782000, 2890001}},
                                         KnownCounts{"quoridor-kid", {75, 5357, 363872}},
                                         KnownCounts{"quoridor:5x5,walls=2", {35, 1109, 31540, 794442, 5915982}},
                                         KnownCounts{"quoridor4:third_pawn_diagonal=false", {131, 16677, 2062065}}));

TEST(Perft, GoldenCountsOfEveryWallGame) {
  const std::vector<wall::GoldenPerft> golden = wall::read_golden_perft();
  std::set<std::string> ids;
  for (const wall::GoldenPerft& counts : golden) {
    const wall::WallGame game = std::get<wall::WallGame>(parse_game(counts.variant));
    EXPECT_EQ(game.name(), counts.variant);
    ids.insert(game.rules().id);
    int depth = 0;
    for (const std::uint64_t leaves : counts.leaves) {
      EXPECT_EQ(perft(game, Position(game), ++depth), leaves) << counts.variant << " depth " << depth;
    }
  }
  EXPECT_EQ(ids.size(), wall::presets().size());
}

TEST(Perft, ThePlainImplementationCountsTheSame) {
  for (const wall::GoldenPerft& counts : wall::read_golden_perft()) {
    for (int depth = 1; depth <= counts.confirmed; ++depth) {
      const std::uint64_t leaves = counts.leaves[static_cast<std::size_t>(depth - 1)];
      if (leaves > 1000) break;  // the others: scripts/check_rules
      const auto game = std::get<wall::WallGame>(parse_game(counts.variant));
      EXPECT_EQ(wall::naive_perft(game, depth), leaves) << counts.variant << " depth " << depth;
    }
  }
}

TEST(Perft, DivideSumsToThePerft) {
  const wall::WallGame game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=2"));
  Position position(game);
  std::uint64_t total = 0;
  for (const auto& [action, leaves] : perft_divide(game, position, 3)) total += leaves;
  EXPECT_EQ(total, 31540u);
}

}  // namespace
}  // namespace koridor
