// The count at the end of a game: chains, owners, dead stones.
#include <fmt/format.h>
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
  Random random(1);
  const std::vector<float> owners = owners_by_playouts(game, set_up(game, kBoard, 0).state, 200, random);
  ASSERT_EQ(owners.size(), 49u);
  EXPECT_GT(owners[3], 0.9f);
  EXPECT_LT(owners[4], 0.1f);
  EXPECT_GT(owners[static_cast<std::size_t>(index(at(1, 1)))], 0.75f);
  EXPECT_LT(owners[static_cast<std::size_t>(index(at(2, 6)))], 0.25f);
}

// The rules' answer is on the board when the game is over; it is asked who would own what if play went on.
TEST(GoCount, AGameThatIsOverIsPlayedOn) {
  for (const char* variant : {"go:7x7,chinese", "go:7x7,japanese", "go:7x7,max_plies=100"}) {
    const GoGame game = go_game(variant);
    Position<GoGame> position = set_up(game, kBoard, 0);
    if (game.max_plies() == 100) position.state.ply = 100;
    while (!game.outcome(position.state, position.history).over()) play(game, position, "pass");
    EXPECT_THAT(likely_dead(game, position.state), ElementsAre(at(1, 1), at(1, 2), at(2, 6))) << variant;
  }
}

// The player to move has no stone left, which ends the game as the board stands.
TEST(GoCount, AGameWithoutStonesStands) {
  const GoGame game = go_game("go:3x3,chinese,stone_supply=half");
  Position<GoGame> position(game);
  play(game, position, "A1 C2 A2 pass A3 pass C3 pass B1 pass");
  ASSERT_TRUE(game.outcome(position.state, position.history).over());
  std::vector<float> stands(9);
  game.ownership(position.state, 0, stands);
  EXPECT_EQ(owners_by_playouts(game, position.state), stands);
  EXPECT_TRUE(likely_dead(game, position.state).empty());
}

// The names of the stones that look dead, whoever is to move.
std::string dead_on(const std::vector<std::string>& rows) {
  const GoGame game = go_game(fmt::format("go:{}x{}", rows.front().size(), rows.size()));
  std::string found[2];
  for (int player = 0; player < 2; ++player) {
    const State state = set_up(game, rows, player).state;
    for (const Action stone : likely_dead(game, state)) found[player] += game.print_action(state, stone) + " ";
  }
  EXPECT_EQ(found[0], found[1]) << "the mover makes a difference";
  return found[0];
}

// Rules that bind playouts or let them go other ways, and a board of the larger kind (core/go/points.h).
TEST(GoCount, DeadStonesAreDeadUnderOtherRules) {
  for (const char* rules :
       {"tromp-taylor", "chinese,ko=simple,suicide=allowed", "japanese,must_save_atari=true", "chinese,handicap=2"}) {
    const GoGame game = go_game(std::string("go:7x7,") + rules);
    const State state = set_up(game, kBoard, 0).state;
    EXPECT_THAT(likely_dead(game, state), ElementsAre(at(1, 1), at(1, 2), at(2, 6))) << rules;
  }
  std::vector<std::string> large;
  for (int row = 0; row < 13; ++row) large.push_back(row == 6 ? ".O.XO........" : "...XO........");
  EXPECT_EQ(dead_on(large), "B7 ");
}

TEST(GoCount, DeadStonesArePrisoners) {
  for (const char* rules : {"chinese", "japanese"}) {
    const GoGame game = go_game(std::string("go:7x7,") + rules + ",komi=0.5");
    const State state = set_up(game, kBoard, 0).state;
    const std::vector<Action> dead = likely_dead(game, state);
    EXPECT_THAT(dead, ElementsAre(at(1, 1), at(1, 2), at(2, 6)));
    const State left = without_stones(game, state, dead);
    const Score score = game.score(left);
    EXPECT_EQ(score.area(0), 28);
    EXPECT_EQ(score.area(1), 21);
    EXPECT_EQ(score.prisoners[0], 2);
    EXPECT_EQ(score.prisoners[1], 1);
    EXPECT_EQ(score.by_territory(), by_territory_and_prisoners(score));
  }
  const GoGame game = go_game("go:7x7,chinese,komi=0.5");
  EXPECT_EQ(count_result(
                game, without_stones(game, set_up(game, kBoard, 0).state, std::vector{at(1, 1), at(1, 2), at(2, 6)})),
            "B+6.5");
}

// Ends of games between engines in which random playouts without captures let dead stones live.
TEST(GoCount, FindsDeadStonesAtTheEndOfRealGames) {
  EXPECT_EQ(dead_on({"...X...XX",    //
                     "..XOOXXXO",    //
                     "...XXOXOO",    //
                     ".X.XOOO..",    //
                     "..XO...O.",    //
                     "..XOO....",    //
                     "...XO..O.",    //
                     "...XO.O..",    //
                     "...XXO..."}),  //
            "D8 E8 ");
  EXPECT_EQ(dead_on({".OXXX.XO.",    //
                     ".OOX.XXO.",    //
                     "O.OXXOOOX",    //
                     "OOOOOXXO.",    //
                     "XXOXXXXXO",    //
                     "..X..XOO.",    //
                     ".XOX.XO..",    //
                     ".X...XOO.",    //
                     "..X.XOOO."}),  //
            "J7 C3 ");
}

TEST(GoCount, LivingStonesStay) {
  // White has two eyes in black's corner.
  EXPECT_EQ(dead_on({".O.OX....",    //
                     "OOOOX....",    //
                     "XXXXX....",    //
                     "....XXXXX",    //
                     "....XOOOO",    //
                     "....XO...",    //
                     "....XO...",    //
                     "....XO...",    //
                     "....XO..."}),  //
            "");
  // A seki: between them, the white chain and the black one have two points that neither side can take first.
  EXPECT_EQ(dead_on({".X.XO.XO.O.",    //
                     "XXXXO.XOOOO"}),  //
            "");
}

}  // namespace
}  // namespace koridor::go
