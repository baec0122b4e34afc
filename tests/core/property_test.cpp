// Random play over every registered game and over many variants.
#include <gtest/gtest.h>

#include "tests/core/game_properties.h"
#include "tests/core/naive_wall_game.h"

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

// A wall game with rules drawn at random.
std::string random_variant(Random& random) {
  const int players = 2 + random.below(3);
  const int columns = 3 + random.below(9);
  const int rows = players == 2 ? 3 + random.below(9) : columns;
  std::string variant = "quoridor:" + std::to_string(columns) + "x" + std::to_string(rows);
  variant +=
      ",players=" + std::to_string(players) + ",walls=" + std::to_string(random.below(random.chance(0.2) ? 32 : 9));
  if (random.chance(0.5)) variant += ",repetition=" + std::to_string(2 + random.below(2));
  if (random.chance(0.5)) variant += ",third_pawn_diagonal=false";
  if (random.chance(0.3)) variant += ",max_plies=" + std::to_string(1 + random.below(200));
  return variant;
}

TEST(Properties, RandomVariants) {
  Random random(2);
  for (int i = 0; i < 200; ++i) check(random_variant(random), 1);
}

TEST(Properties, EverySizeForTwo) {
  for (int columns = 3; columns <= 11; ++columns) {
    for (int rows = 3; rows <= 11; ++rows) {
      check("quoridor:" + std::to_string(columns) + "x" + std::to_string(rows) + ",walls=4,max_plies=40", 1);
    }
  }
}

struct Compared {
  int positions = 0;
  int passes = 0;
};

// Plays one random game and compares legal actions and distances with the plain implementation of the rules.
void compare_with_naive(const wall::WallGame& game, Random& random, Compared& compared) {
  Position position(game);
  // The end of a long game without walls has nothing new to show.
  for (int without_walls = 0; without_walls < 15 && !game.outcome(position.state, position.history).over();) {
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    std::set<std::string> names;
    legal.for_each([&](Action action) { names.insert(game.print_action(position.state, action)); });
    const wall::NaivePosition naive(game, position.state);
    ASSERT_EQ(names, naive.legal_actions()) << game.name() << "\n"
                                            << game.print_board(position.state, Notation::standard, false);
    for (int player = 0; player < game.players(); ++player) {
      ASSERT_EQ(game.distance(position.state, player), naive.distance(player)) << game.name();
    }
    if (game.players() == 2) {
      ASSERT_LT(index(legal.nth(0)), game.rules().rows * game.rules().columns) << "no pawn move";
    }
    ++compared.positions;
    if (names.contains("--")) ++compared.passes;
    if (position.state.walls_left[position.state.player * 2] == 0) ++without_walls;
    position.apply(game, legal.nth(random.below(legal.count())));
  }
}

TEST(Properties, LegalActionsMatchAPlainImplementation) {
  Random random(3);
  Compared compared;
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    const std::string variant = i == 0 ? "quoridor" : i == 1 ? "quoridor4" : random_variant(random);
    compare_with_naive(std::get<wall::WallGame>(parse_game(variant)), random, compared);
  }
  EXPECT_GT(compared.positions, 1000);
}

TEST(Properties, CrowdedBoardsMatchAPlainImplementation) {
  Random random(4);
  Compared compared;
  for (const char* variant : {"quoridor4:3x3,walls=1", "quoridor4:3x3,walls=2,third_pawn_diagonal=false",
                              "quoridor4:4x4,players=3,walls=3"}) {
    const auto game = std::get<wall::WallGame>(parse_game(variant));
    for (int i = 0; i < 100 && !HasFailure(); ++i) compare_with_naive(game, random, compared);
  }
  EXPECT_GT(compared.passes, 0);
}

// random_legal_action() draws what legal_actions() lists, and each about equally often.
TEST(Properties, RandomLegalActionIsUniform) {
  Random random(4);
  for (const char* variant : {"quoridor:3x3,walls=4", "quoridor4:5x5,walls=3", "quoridor-kid"}) {
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
