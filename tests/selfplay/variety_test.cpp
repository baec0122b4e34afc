// How different games are from each other: figures of games made by hand.
#include "selfplay/shards/variety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

namespace koridor {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Games whose states are one byte each. Each second ply is a full search that gives two actions equal shares.
ShardData games(std::initializer_list<std::vector<std::uint8_t>> all) {
  ShardData data;
  data.info.state_bytes = 1;
  for (const std::vector<std::uint8_t>& states : all) {
    data.game_number.push_back(static_cast<std::uint32_t>(data.games()));
    data.game_first_ply.push_back(static_cast<std::uint32_t>(data.plies()));
    data.game_plies.push_back(static_cast<std::uint16_t>(states.size()));
    for (std::size_t ply = 0; ply < states.size(); ++ply) {
      const bool full = ply % 2 == 1;
      data.ply_state.push_back(states[ply]);
      data.ply_action.push_back(0);
      data.ply_kind.push_back(static_cast<std::uint8_t>(full ? PlyKind::full : PlyKind::cheap));
      data.ply_surprise.push_back(full ? 250 : 0);
      data.policy_first.push_back(static_cast<std::uint32_t>(data.policy_probability.size()));
      data.policy_count.push_back(full ? 2 : 0);
      if (full) data.policy_probability.insert(data.policy_probability.end(), {32768, 32767});
    }
  }
  return data;
}

TEST(Variety, CountsPositionsAndPairsThatAreAlike) {
  Variety variety;
  variety.add(games({{1, 2, 3}, {1, 2, 4}}));
  variety.add(games({{1, 5}, {1, 2, 3}}));
  const std::vector<PlyVariety> plies = variety.plies();
  ASSERT_THAT(plies, SizeIs(3));
  EXPECT_EQ(variety.games(), 4u);
  EXPECT_EQ(plies[0].positions, 1u);
  EXPECT_DOUBLE_EQ(plies[0].alike, 1.0);
  EXPECT_EQ(plies[1].positions, 2u);
  EXPECT_DOUBLE_EQ(plies[1].alike, 0.5) << "three of the six pairs";
  EXPECT_EQ(plies[2].ply, 2u);
  EXPECT_EQ(plies[2].games, 3u) << "one game has ended";
  EXPECT_EQ(plies[2].positions, 2u);
  EXPECT_DOUBLE_EQ(plies[2].alike, 1.0 / 3.0);
}

TEST(Variety, SearchesAreTheFullOnes) {
  Variety variety;
  variety.add(games({{1, 2, 3}, {1, 5}}));
  const std::vector<PlyVariety> plies = variety.plies();
  EXPECT_EQ(plies[0].searches, 0u);
  EXPECT_EQ(plies[0].entropy, 0.0);
  EXPECT_EQ(plies[1].searches, 2u);
  EXPECT_NEAR(plies[1].entropy, std::log(2.0), 1e-6);
  EXPECT_DOUBLE_EQ(plies[1].surprise, 0.25);
  EXPECT_DOUBLE_EQ(plies[2].alike, 0.0) << "of a single game";
}

TEST(Variety, OfNoGamesThereIsNothing) {
  Variety variety;
  EXPECT_EQ(variety.games(), 0u);
  EXPECT_THAT(variety.plies(), IsEmpty());
  variety.add(games({}));
  EXPECT_EQ(variety.games(), 0u);
}

}  // namespace
}  // namespace koridor
