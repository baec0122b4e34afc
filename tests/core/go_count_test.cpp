// The count at the end of a game: chains, owners, dead stones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/go/count.h"
#include "tests/core/go_test_tools.h"

namespace koridor::go {
namespace {

using ::testing::ElementsAre;

Action at(int row, int column) {
  return Action{static_cast<std::uint16_t>(row * 7 + column)};
}

// Black owns the left, white the right; the white stones on the left and the black one on the right are dead.
const std::vector<std::string> kBoard = {
    "...XO..",  //
    ".OOXO..",  //
    "...XO.X",  //
    "...XO..",  //
    ".X.XO.O",  //
    "...XO..",  //
    "..XXOO.",
};

TEST(GoCount, AChainIsAllItsStones) {
  const GoGame game = go_game("go:7x7,chinese,komi=0.5");
  const State state = set_up(game, kBoard, 0).state;
  EXPECT_THAT(chain_at(game, state, at(1, 2)), ElementsAre(at(1, 1), at(1, 2)));
  EXPECT_EQ(chain_at(game, state, at(6, 2)).size(), 8u);
  EXPECT_TRUE(chain_at(game, state, at(0, 0)).empty());
  EXPECT_TRUE(chain_at(game, state, game.geometry().pass()).empty());
}

TEST(GoCount, PlayoutsTellWhoOwnsWhat) {
  const GoGame game = go_game("go:7x7,chinese,komi=0.5");
  const Position<GoGame> position = set_up(game, kBoard, 0);
  Random random(1);
  const std::vector<float> owners = owners_by_playouts(game, position, 200, random);
  ASSERT_EQ(owners.size(), 49u);
  EXPECT_GT(owners[3], 0.6f);
  EXPECT_LT(owners[4], 0.4f);
  // After two passes it is asked who would own what if the game went on: the rules' answer is on the board.
  Position<GoGame> over = position;
  play(game, over, "pass pass");
  ASSERT_TRUE(game.outcome(over.state, over.history).over());
  EXPECT_GT(owners_by_playouts(game, over, 200, random)[index(at(1, 1))], 0.5f);
}

TEST(GoCount, DeadStonesArePrisoners) {
  for (const char* rules : {"chinese", "japanese"}) {
    const GoGame game = go_game(std::string("go:7x7,komi=0.5,") + rules);
    const State state = set_up(game, kBoard, 0).state;
    std::vector<float> owners(49);
    for (int i = 0; i < 49; ++i) owners[static_cast<std::size_t>(i)] = i % 7 < 4 ? 0.95f : 0.05f;
    const std::vector<Action> dead = likely_dead(game, state, owners);
    EXPECT_THAT(dead, ElementsAre(at(1, 1), at(1, 2), at(2, 6)));
    const State left = without_stones(game, state, dead);
    const Score score = game.score(left);
    EXPECT_EQ(score.area(0), 28);
    EXPECT_EQ(score.area(1), 21);
    EXPECT_EQ(score.prisoners[0], 2);
    EXPECT_EQ(score.prisoners[1], 1);
    EXPECT_EQ(score.by_territory(), score.by_territory_and_prisoners());
  }
  const GoGame game = go_game("go:7x7,chinese,komi=0.5");
  EXPECT_EQ(count_result(
                game, without_stones(game, set_up(game, kBoard, 0).state, std::vector{at(1, 1), at(1, 2), at(2, 6)})),
            "B+6.5");
}

TEST(GoCount, NoStoneIsDeadWhereNobodyKnows) {
  const GoGame game = go_game("go:7x7");
  const State state = set_up(game, kBoard, 0).state;
  EXPECT_TRUE(likely_dead(game, state, std::vector<float>(49, 0.5f)).empty());
}

}  // namespace
}  // namespace koridor::go
