// Games by name, and what is said of them.
#include <map>

#include "core/base/terminal.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

TEST(LibraryGames, ListsEveryRegisteredGame) {
  const std::vector<GameInfo> games = registered_games();
  ASSERT_EQ(koridor_game_count(), games.size());
  for (std::size_t i = 0; i < games.size(); ++i) {
    EXPECT_EQ(koridor_game_id(i), games[i].id);
    EXPECT_EQ(koridor_game_title(i), games[i].title);
    EXPECT_EQ(koridor_game_variant(i), games[i].variant);
    EXPECT_EQ(koridor_game_name(game_of(koridor_game_variant(i)).get()), games[i].variant);
  }
  EXPECT_EQ(koridor_game_id(games.size()), nullptr);
  EXPECT_EQ(koridor_game_title(games.size()), nullptr);
  EXPECT_EQ(koridor_game_variant(static_cast<std::size_t>(-1)), nullptr);
}

TEST(LibraryGames, DescribesAGame) {
  const OwnedGame game = game_of("quoridor:5x7,walls=3");
  koridor_game_info info = {.struct_size = sizeof info};
  EXPECT_TRUE(done(koridor_game_describe(game.get(), &info)));
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.players, 2);
  EXPECT_EQ(info.columns, 5);
  EXPECT_EQ(info.rows, 7);
  EXPECT_EQ(info.max_plies, 4 * 5 * 7);
  std::visit(
      [&](const auto& known) {
        EXPECT_EQ(info.num_actions, known.num_actions());
        EXPECT_EQ(info.num_symmetries, known.num_symmetries());
        EXPECT_EQ(info.packed_size, known.packed_size());
        EXPECT_EQ(koridor_game_action_order(game.get()), known.action_order());
      },
      parse_game("quoridor:5x7,walls=3"));
  EXPECT_STREQ(koridor_game_name(game.get()), "quoridor:5x7,walls=3");
  EXPECT_STREQ(koridor_game_family(game.get()), "wall");
  EXPECT_THAT(koridor_game_rules(game.get()),
              testing::AllOf(testing::HasSubstr("walls=3\n"), testing::HasSubstr("\nrows=7\n")));
}

TEST(LibraryGames, TellsTheShapesOfAnEncoding) {
  for (const char* name : {"go:5x5", "quoridor:5x5,walls=3"}) {
    const OwnedGame game = game_of(name);
    koridor_encoding encoding = {.struct_size = sizeof encoding};
    for (int number = 0; number < 8; ++number) {
      const Features features{.distances = (number & KORIDOR_DISTANCES) != 0,
                              .ways = (number & KORIDOR_WAYS) != 0,
                              .wall_effects = (number & KORIDOR_WALL_EFFECTS) != 0};
      EXPECT_TRUE(done(koridor_game_encoding(game.get(), number, &encoding)));
      std::visit(
          [&](const auto& known) {
            const EncodingShape shape = known.encoding(features);
            EXPECT_EQ(encoding.version, shape.version);
            EXPECT_EQ(encoding.planes, shape.planes) << number;
            EXPECT_EQ(encoding.rows, 5);
            EXPECT_EQ(encoding.columns, 5);
            EXPECT_EQ(encoding.scalars, shape.scalars) << number;
            EXPECT_EQ(encoding.policy_size, shape.policy_size());
            EXPECT_EQ(encoding.value_size, 3);
          },
          parse_game(name));
    }
  }
}

TEST(LibraryGames, RefusesFeaturesThatAreNone) {
  const OwnedGame game = game_of("quoridor:5x5");
  koridor_encoding encoding = {.struct_size = sizeof encoding};
  for (const int features : {-1, 8}) {
    expect_failure(koridor_game_encoding(game.get(), features, &encoding), KORIDOR_INVALID_ARGUMENT,
                   "expected a sum of koridor_feature, 0 to 7");
  }
}

TEST(LibraryGames, RefusesWhatIsNoGame) {
  koridor_game* game = nullptr;
  expect_failure(koridor_game_new("quorridor", &game), KORIDOR_INVALID_ARGUMENT, "did you mean 'quoridor'");
  expect_failure(koridor_game_new("quoridor:wals=3", &game), KORIDOR_INVALID_ARGUMENT, "walls");
  expect_failure(koridor_game_new("", &game), KORIDOR_INVALID_ARGUMENT, "game");
  expect_failure(koridor_game_new(nullptr, &game), KORIDOR_INVALID_ARGUMENT, "name is NULL");
  expect_failure(koridor_game_new("go", nullptr), KORIDOR_INVALID_ARGUMENT, "game is NULL");
  EXPECT_EQ(game, nullptr);
  koridor_game_info info = {.struct_size = sizeof info};
  expect_failure(koridor_game_describe(nullptr, &info), KORIDOR_BAD_HANDLE, "koridor_game is NULL");
  EXPECT_EQ(koridor_game_name(nullptr), nullptr);
  EXPECT_EQ(koridor_game_family(nullptr), nullptr);
  EXPECT_EQ(koridor_game_rules(nullptr), nullptr);
  EXPECT_EQ(koridor_game_action_order(nullptr), nullptr);
}

TEST(LibraryGames, QuotesForeignTextShortAndAsUtf8) {
  koridor_game* game = nullptr;
  expect_failure(koridor_game_new("\xff\xfe", &game), KORIDOR_INVALID_ARGUMENT,
                 "unknown game '\\xff\\xfe'; the games are");
  for (const std::string& name : {std::string(5000, 'x'), std::string(2500, 'x') + " " + std::string(2500, ' '),
                                  "quoridor:" + std::string(5000, '\xff')}) {
    expect_failure(koridor_game_new(name.c_str(), &game), KORIDOR_INVALID_ARGUMENT, "bytes ...]");
    const std::string said = koridor_last_error();
    EXPECT_THAT(said,
                testing::AnyOf(testing::HasSubstr("; the games are quoridor, "), testing::HasSubstr("write it like")));
    EXPECT_EQ(printable(said), said);
  }
}

TEST(LibraryGames, OutlivesItsHandleInWhatWasMadeOfIt) {
  OwnedGame game = game_of("quoridor:5x5,walls=3");
  const OwnedState state = state_of(game);
  game.reset();
  EXPECT_FALSE(legal_of(state.get()).empty());
}

}  // namespace
}  // namespace koridor::test
