// How different games are from each other: figures of short games of 5x5 Quoridor.
#include "selfplay/shards/variety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/registry.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

using Line = std::vector<std::string>;  // actions by name

// Games of these actions, as far as Variety reads them. Each second ply is a full search that gives two actions equal
// shares.
ShardData games(const std::vector<Line>& lines) {
  const AnyGame any = parse_game("quoridor:5x5,walls=3");
  const auto& game = std::get<wall::WallGame>(any);
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  ShardData data;
  data.info.game = game.name();
  data.info.state_bytes = game.packed_size();
  for (const Line& line : lines) {
    data.game_number.push_back(static_cast<std::uint32_t>(data.games()));
    data.game_first_ply.push_back(static_cast<std::uint32_t>(data.plies()));
    data.game_plies.push_back(static_cast<std::uint16_t>(line.size()));
    Position<wall::WallGame> position(game);
    for (std::size_t ply = 0; ply < line.size(); ++ply) {
      const auto action = game.parse_action(position.state, position.history, line[ply], Notation::standard);
      if (!action) throw UserError("no such action: " + line[ply]);
      data.ply_state.resize(data.ply_state.size() + bytes);
      game.pack(position.state, std::span(data.ply_state).last(bytes));
      const bool full = ply % 2 == 1;
      data.ply_action.push_back(static_cast<std::uint16_t>(index(*action)));
      data.ply_kind.push_back(static_cast<std::uint8_t>(full ? PlyKind::full : PlyKind::cheap));
      data.ply_surprise.push_back(full ? 250 : 0);
      data.policy_first.push_back(static_cast<std::uint32_t>(data.policy_probability.size()));
      data.policy_count.push_back(full ? 2 : 0);
      if (full) data.policy_probability.insert(data.policy_probability.end(), {32768, 32767});
      position.apply(game, *action);
    }
  }
  return data;
}

TEST(Variety, CountsPositionsAndPairsThatAreAlike) {
  Variety variety;
  variety.add(games({{"c4", "c2", "c3"}, {"c4", "b1", "c3"}}), "shard");
  variety.add(games({{"c4", "c2"}, {"b5", "c2", "b4"}}), "shard");
  const std::vector<PlyVariety> plies = variety.plies();
  ASSERT_THAT(plies, SizeIs(3));
  EXPECT_EQ(variety.games(), 4u);
  EXPECT_EQ(plies[0].positions, 1u);
  EXPECT_DOUBLE_EQ(*plies[0].alike, 1.0);
  EXPECT_EQ(plies[1].positions, 2u);
  EXPECT_DOUBLE_EQ(*plies[1].alike, 0.5) << "three of the six pairs";
  EXPECT_EQ(plies[2].ply, 2u);
  EXPECT_EQ(plies[2].games, 3u) << "one game has ended";
  EXPECT_EQ(plies[2].positions, 3u);
  EXPECT_DOUBLE_EQ(*plies[2].alike, 0.0);
}

// Packed states say how long ago the last wall was set, which is nothing that a network sees.
TEST(Variety, TheOrderOfPliesMakesNoOtherPosition) {
  Variety variety;
  variety.add(games({{"a2h", "c2", "c4", "b2", "b4"}, {"c4", "c2", "a2h", "b2", "b4"}}), "shard");
  const std::vector<PlyVariety> plies = variety.plies();
  EXPECT_EQ(plies[2].positions, 2u);
  EXPECT_EQ(plies[3].positions, 1u);
  EXPECT_EQ(plies[4].positions, 1u);
}

TEST(Variety, SearchesAreTheFullOnes) {
  Variety variety;
  ShardData data = games({{"c4", "c2", "c3"}, {"c4", "b1"}});
  variety.add(data, "shard");
  std::vector<PlyVariety> plies = variety.plies();
  EXPECT_EQ(plies[0].searches, 0u);
  EXPECT_FALSE(plies[0].entropy);
  EXPECT_FALSE(plies[0].surprise);
  EXPECT_EQ(plies[1].searches, 2u);
  EXPECT_NEAR(plies[1].entropy.value(), std::log(2.0), 1e-6);
  EXPECT_DOUBLE_EQ(plies[1].surprise.value(), 0.25);
  EXPECT_FALSE(plies[2].alike) << "of a single game";
  // Files of old builds do not say how surprising a search was.
  data.ply_surprise.clear();
  variety.add(data, "shard");
  plies = variety.plies();
  EXPECT_EQ(plies[1].searches, 4u);
  EXPECT_DOUBLE_EQ(plies[1].surprise.value(), 0.25);
  Variety old;
  old.add(data, "shard");
  EXPECT_FALSE(old.plies()[1].surprise);
  EXPECT_TRUE(old.plies()[1].entropy);
}

TEST(Variety, OfNoGamesThereIsNothing) {
  Variety variety;
  EXPECT_EQ(variety.games(), 0u);
  EXPECT_THAT(variety.plies(), IsEmpty());
  variety.add(games({}), "shard");
  EXPECT_EQ(variety.games(), 0u);
}

TEST(Variety, WhatIsNoPositionIsRefusedAndNothingIsCounted) {
  ShardData data = games({{"c4", "c2"}});
  std::fill(data.ply_state.begin(), data.ply_state.end(), std::uint8_t{255});
  Variety variety;
  EXPECT_THAT([&] { variety.add(data, "shard"); },
              ThrowsMessage<UserError>(HasSubstr("shard: ply 0 is no position of quoridor:5x5")));
  EXPECT_EQ(variety.games(), 0u);
}

}  // namespace
}  // namespace koridor
