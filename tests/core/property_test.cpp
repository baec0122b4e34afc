// The properties of every game, by random play of every registered game and of many variants.
#include <gtest/gtest.h>

#include "tests/core/game_properties.h"
#include "tests/core/naive_comparison.h"

namespace koridor {
namespace {

void check(const std::string& variant, int games) {
  SCOPED_TRACE(variant);
  std::visit([&](const auto& game) { GameProperties(game, 1).check(games); }, parse_game(variant));
}

TEST(Properties, RegisteredGames) {
  for (const GameInfo& info : registered_games()) {
    EXPECT_EQ(info.variant, info.id);
    check(info.variant, 2);
  }
}

TEST(Properties, RandomVariants) {
  Random random(2);
  for (int i = 0; i < 200; ++i) check(wall::random_variant(random), 1);
}

TEST(Properties, EverySizeForTwo) {
  for (int columns = 3; columns <= 11; ++columns) {
    for (int rows = 3; rows <= 14; ++rows) {
      check("quoridor:" + std::to_string(columns) + "x" + std::to_string(rows) + ",walls=4,max_plies=40", 1);
    }
  }
}

void compare(const std::string& variant, Random& random, wall::Compared& compared) {
  wall::compare_with_naive(std::get<wall::WallGame>(parse_game(variant)), random, compared);
}

// A short version of scripts/check_rules.
TEST(Properties, EveryRuleMatchesAPlainImplementation) {
  Random random(3);
  wall::Compared compared;
  for (const wall::Preset& preset : wall::presets()) compare(preset.rules.id, random, compared);
  for (int i = 0; i < 150; ++i) compare(wall::random_variant(random), random, compared);
  EXPECT_EQ(compared.mismatch, "");
  EXPECT_GT(compared.positions, 3000);
  EXPECT_GT(compared.wins, 20);
  EXPECT_GT(compared.draws, 5);
}

TEST(Properties, CrowdedBoardsMatchAPlainImplementation) {
  Random random(4);
  wall::Compared compared;
  for (const char* variant :
       {"quoridor4:3x3,walls=1", "quoridor4:3x3,walls=2,third_pawn_diagonal=false", "quoridor4:4x4,players=3,walls=3",
        "pinko-pallino:3x3,walls=3", "pinko-pallino:3x4,walls=4,jumps=true,diagonal_step=both",
        "quoridor:4x4,pawns=2,jumps=false,walls=4,win_pawns=2", "blockade:3x4,walls=2", "blockade:4x4,walls=2",
        "blockade:4x3,walls=4,win_pawns=2", "blockade:7x7,players=4,walls=2"}) {
    for (int i = 0; i < 50; ++i) compare(variant, random, compared);
  }
  EXPECT_EQ(compared.mismatch, "");
  EXPECT_GT(compared.passes, 0);
}

TEST(Properties, TwoPlayersOfQuoridorAlwaysHaveAPawnMove) {
  Random random(6);
  int positions = 0;
  for (const char* variant : {"quoridor", "quoridor:3x3,walls=6", "quoridor:4x3,walls=9", "quoridor:5x5,walls=12"}) {
    const auto game = std::get<wall::WallGame>(parse_game(variant));
    for (int i = 0; i < 30; ++i) {
      Position position(game);
      while (!game.outcome(position.state, position.history).over()) {
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        ASSERT_LT(index(legal.nth(0)), game.rules().rows * game.rules().columns);
        ++positions;
        position.apply(game, legal.nth(random.below(legal.count())));
      }
    }
  }
  EXPECT_GT(positions, 5000);
}

// random_legal_action() draws what legal_actions() lists, and each about equally often.
TEST(Properties, RandomLegalActionIsUniform) {
  Random random(4);
  for (const char* variant :
       {"quoridor:3x3,walls=4", "quoridor4:5x5,walls=3", "quoridor-kid", "pinko-pallino:4x5,walls=4",
        "blockade:5x6,walls=3", "blockade:4x4,walls=2,wall_after_move=false"}) {
    const wall::WallGame game = std::get<wall::WallGame>(parse_game(variant));
    Position position(game);
    for (int ply = 0; ply < 12 && !game.outcome(position.state, position.history).over(); ++ply) {
      ActionMask legal;
      game.legal_actions(position.state, position.history, legal);
      std::vector<int> drawn(static_cast<std::size_t>(game.num_actions()));
      const int draws = 200 * legal.count();
      for (int i = 0; i < draws; ++i) {
        const Action action = game.random_legal_action(position.state, random);
        ASSERT_TRUE(legal.test(action)) << game.print_action(position.state, action);
        ++drawn[static_cast<std::size_t>(index(action))];
      }
      // 200 expected each; 7 standard deviations.
      legal.for_each([&](Action action) {
        EXPECT_NEAR(drawn[static_cast<std::size_t>(index(action))], 200, 100)
            << game.print_action(position.state, action);
      });
      position.apply(game, legal.nth(random.below(legal.count())));
    }
  }
}

}  // namespace
}  // namespace koridor
