// Games by name, and the error for a wrong name.
#include "core/registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "tests/error_of.h"

namespace koridor {
namespace {

using testing::HasSubstr;

wall::WallGame wall_game(std::string_view variant, std::vector<std::string> settings = {}) {
  return std::get<wall::WallGame>(parse_game(variant, settings));
}

std::string refusal(std::string_view variant, std::vector<std::string> settings = {}) {
  return error_of([&] { parse_game(variant, settings); });
}

TEST(Registry, KnowsTheGames) {
  std::vector<std::string> ids;
  for (const GameInfo& info : registered_games()) ids.push_back(info.id);
  EXPECT_THAT(ids, testing::ElementsAre("quoridor", "quoridor4", "quoridor-kid", "quoridor-kid4", "pinko-pallino",
                                        "blockade", "go"));
  EXPECT_EQ(wall_game("quoridor").rules().walls, 10);
  EXPECT_EQ(wall_game("quoridor4").rules().players, 4);
  EXPECT_EQ(wall_game("quoridor4").rules().walls, 5);
  EXPECT_EQ(wall_game("quoridor-kid").rules().columns, 7);
  EXPECT_EQ(wall_game("quoridor-kid").rules().walls, 8);
  EXPECT_EQ(wall_game("quoridor-kid4").rules().walls, 4);
  EXPECT_EQ(wall_game("pinko-pallino").rules().step, wall::Step::diagonal);
  EXPECT_EQ(wall_game("blockade").num_actions(), 617);
}

TEST(Registry, VariantsSetEveryRule) {
  const wall::WallGame game =
      wall_game("quoridor:7x7,walls=5,players=3,third_pawn_diagonal=false,repetition=3,max_plies=100");
  EXPECT_EQ(game.rules(), (wall::Rules{.id = "quoridor",
                                       .columns = 7,
                                       .rows = 7,
                                       .players = 3,
                                       .walls = 5,
                                       .max_plies = 100,
                                       .repetition = 3,
                                       .third_pawn_diagonal = false}));
  const wall::WallGame oblong = wall_game("quoridor:5x8");  // columns x rows
  EXPECT_EQ(oblong.rules().columns, 5);
  EXPECT_EQ(oblong.rules().rows, 8);
  EXPECT_EQ(oblong.max_plies(), 160);
}

TEST(Registry, EveryRuleOfAnotherGameMakesThatGame) {
  using Words = std::vector<std::string>;
  const wall::WallGame pinko = wall_game("quoridor:11x11,walls=21", {"step=diagonal", "jumps=false"});
  EXPECT_EQ(pinko.name(), "quoridor:11x11,walls=21,jumps=false,step=diagonal");
  const wall::WallGame blockade = wall_game(
      "quoridor:11x14,walls=9,pawns=2",
      Words{"step=double", "jumps=false", "walls_by_kind=true", "wall_after_move=true", "goal=starts", "win_pawns=2"});
  wall::Rules rules = wall_game("blockade:win_pawns=2").rules();
  rules.id = "quoridor";
  EXPECT_EQ(blockade.rules(), rules);
  EXPECT_EQ(wall_game("blockade:7x8,walls=4", {"diagonal_step=both"}).name(),
            "blockade:7x8,walls=4,diagonal_step=both");
}

TEST(Registry, SettingsComeAfterTheVariantInOrder) {
  EXPECT_EQ(wall_game("quoridor:5x5,walls=3", {"walls=4", "columns=6", "walls=2"}).name(), "quoridor:6x5,walls=2");
}

TEST(Registry, NamesAreCanonical) {
  EXPECT_EQ(wall_game("quoridor").name(), "quoridor");
  EXPECT_EQ(wall_game("quoridor:9x9,walls=10,max_plies=324,repetition=0").name(), "quoridor");
  EXPECT_EQ(wall_game("quoridor-kid:7x7,walls=8").name(), "quoridor-kid");
  EXPECT_EQ(wall_game("quoridor:walls=3,rows=5,columns=5").name(), "quoridor:5x5,walls=3");
  const std::string full = "quoridor4:7x7,players=3,walls=4,max_plies=50,repetition=3,third_pawn_diagonal=false";
  EXPECT_EQ(wall_game(full).name(), full);
  EXPECT_EQ(wall_game("quoridor:max_plies=324").rules(), wall_game("quoridor").rules());
}

TEST(Registry, RuleParametersTellWhatHolds) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_THAT(rule_parameters(parse_game("quoridor:5x6,walls=3")),
              testing::ElementsAre(Pair("columns", "5"), Pair("rows", "6"), Pair("players", "2"), Pair("pawns", "1"),
                                   Pair("walls", "3"), Pair("win_pawns", "1"), Pair("max_plies", "120"),
                                   Pair("repetition", "0"), Pair("third_pawn_diagonal", "true"), Pair("jumps", "true"),
                                   Pair("walls_by_kind", "false"), Pair("wall_after_move", "false"),
                                   Pair("step", "orthogonal"), Pair("diagonal_step", "either"), Pair("goal", "line")));
}

TEST(Registry, EveryPlaneAndScalarHasANameOfItsOwn) {
  for (const GameInfo& info : registered_games()) {
    for (const bool distances : {false, true}) {
      const AnyGame game = parse_game(info.id);
      const Features features{.distances = distances, .ways = !distances, .wall_effects = distances};
      const EncodingShape shape = std::visit([&](const auto& known) { return known.encoding(features); }, game);
      const EncodingNames names = encoding_names(game, features);
      EXPECT_EQ(std::ssize(names.planes), shape.planes) << info.id;
      EXPECT_EQ(std::ssize(names.scalars), shape.scalars) << info.id;
      for (const auto* list : {&names.planes, &names.scalars}) {
        EXPECT_EQ(std::set<std::string>(list->begin(), list->end()).size(), list->size()) << info.id;
      }
    }
  }
  const EncodingNames names = encoding_names(parse_game("blockade"), {});
  EXPECT_EQ(names.planes[2], "pawn.0.1");
  EXPECT_EQ(names.scalars[1], "walls_left.0.1");
}

TEST(Registry, RefusesUnknownGames) {
  EXPECT_THAT(refusal("quorridor"), HasSubstr("unknown game 'quorridor'; did you mean 'quoridor'?"));
  EXPECT_THAT(refusal("quoridor-kids:5x5"), HasSubstr("did you mean 'quoridor-kid'?"));
  EXPECT_THAT(refusal("backgammon:5x5"),
              HasSubstr("the games are quoridor, quoridor4, quoridor-kid, quoridor-kid4, pinko-pallino, blockade"));
  EXPECT_THAT(refusal(""), HasSubstr("unknown game ''"));
}

TEST(Registry, RefusesMalformedVariants) {
  for (const char* variant :
       {"quoridor:", "quoridor:5", "quoridor:5x", "quoridor:x5", "quoridor:5x5x5", "quoridor:5x5,", "quoridor:,walls=3",
        "quoridor:=3", "quoridor:5 x5", "quoridor:5x5:walls=3"}) {
    EXPECT_THAT(refusal(variant), HasSubstr("write it like quoridor:5x5,walls=3")) << variant;
  }
  EXPECT_THAT(refusal("quoridor", {"walls"}), HasSubstr("'walls' sets no rule of a game; write it as rule=value"));
}

TEST(Registry, RefusesARuleSetTwice) {
  for (const char* variant : {"quoridor:5x5,walls=3,walls=4", "quoridor:walls=3,walls=3", "quoridor:5x5,columns=7",
                              "quoridor:rows=5,columns=5,5x5", "go:9x9,japanese,chinese", "go:japanese,rules=chinese",
                              "go:komi=5.5,komi=6.5"}) {
    EXPECT_THROW(parse_game(variant), UserError) << variant;
  }
  EXPECT_NO_THROW(parse_game("go:9x9,japanese,komi=5.5,handicap=2"));
}

TEST(Registry, WhatWasSaidIsNotUndoneByWhatFollows) {
  for (const char* variant : {"go:9x9,komi=0,japanese", "go:9x9,ko=simple,chinese",
                              "go:suicide=forbidden,9x9,tromp-taylor", "go:9x9,handicap=2,komi=3,rules=japanese"}) {
    EXPECT_THAT(refusal(variant), HasSubstr("write the ruleset first")) << variant;
  }
  EXPECT_THAT(refusal("go:9x9,komi=0", {"rules=japanese"}),
              HasSubstr("'rules=japanese' would undo komi=0 before it; write the ruleset first"));
  EXPECT_EQ(name_of(parse_game("go:9x9,handicap=2,japanese")), "go:9x9,japanese,handicap=2");
  EXPECT_EQ(name_of(parse_game("go:9x9,japanese", std::vector<std::string>{"rules=chinese"})), "go:9x9,chinese");
  EXPECT_EQ(name_of(parse_game("go:9x9,komi=6.5,handicap=2")), "go:9x9,handicap=2,komi=6.5");
  EXPECT_EQ(name_of(parse_game("go:9x9,komi=6.5", std::vector<std::string>{"handicap=2"})),
            "go:9x9,handicap=2,komi=6.5");
  EXPECT_EQ(name_of(parse_game("go:9x9,japanese,handicap=2")), "go:9x9,japanese,handicap=2");
  for (const char* ruleset : {"tromp-taylor", "chinese", "japanese", "leaflet-strict"}) {
    for (const char* settings : {"", ",handicap=2", ",komi=0", ",ko=situational,komi=1",
                                 ",handicap=3,komi=7.5,max_plies=9", ",suicide=allowed,must_save_atari=true"}) {
      const std::string name = name_of(parse_game(fmt::format("go:9x9,{}{}", ruleset, settings)));
      EXPECT_EQ(name_of(parse_game(name)), name);
      EXPECT_EQ(rule_parameters(parse_game(name)),
                rule_parameters(parse_game(fmt::format("go:9x9,{}{}", ruleset, settings))));
    }
  }
}

TEST(Registry, RefusesUnknownRulesWithTheNearest) {
  EXPECT_THAT(refusal("quoridor:wals=3"), HasSubstr("unknown rule 'wals'; did you mean 'walls'?"));
  EXPECT_THAT(refusal("quoridor", {"third_pawn_diagonals=false"}), HasSubstr("did you mean 'third_pawn_diagonal'?"));
  EXPECT_THAT(refusal("quoridor:zzzzzzzzzzzz=1"), HasSubstr("the rules are columns, rows, players, pawns, walls"));
}

TEST(Registry, RefusesValuesOutOfRange) {
  EXPECT_THAT(refusal("quoridor:2x5"), HasSubstr("rule 'columns' is 2; it must be 3 to 11"));
  EXPECT_THAT(refusal("quoridor:5x15"), HasSubstr("rule 'rows' is 15; it must be 3 to 14"));
  EXPECT_THAT(refusal("quoridor:walls=32"), HasSubstr("rule 'walls' is 32; it must be 0 to 31"));
  EXPECT_THAT(refusal("quoridor:walls=-1"), HasSubstr("rule 'walls' is -1"));
  EXPECT_THAT(refusal("quoridor:players=5"), HasSubstr("rule 'players' is 5; it must be 2 to 4"));
  EXPECT_THAT(refusal("quoridor:repetition=1"), HasSubstr("rule 'repetition' is 1; it must be 0 or 2 to 10"));
  EXPECT_THAT(refusal("quoridor:max_plies=10001"), HasSubstr("it must be 0 or 1 to 10000"));
  for (const char* value : {"", "many", "3.5", "3 ", "99999999999"}) {
    EXPECT_THAT(refusal(std::string("quoridor:walls=") + value), HasSubstr("it must be a whole number, 0 to 31"));
  }
  EXPECT_THAT(refusal("quoridor:third_pawn_diagonal=yes"), HasSubstr("it must be true or false"));
  EXPECT_THAT(refusal("pinko-pallino:diagonal_step=none"),
              HasSubstr("rule 'diagonal_step' is 'none'; it must be either or both"));
  EXPECT_THAT(refusal("quoridor:win_pawns=2"), HasSubstr("rule 'win_pawns' is 2, but a player has only 1 pawn"));
  EXPECT_THAT(refusal("blockade:jumps=true"), HasSubstr("rule 'jumps' must be false with step=double"));
  EXPECT_THAT(refusal("blockade:4x4,players=3"), HasSubstr("two pawns would start on one square of 4x4"));
  EXPECT_THAT(refusal("quoridor4:9x7"), HasSubstr("4 players need a square board, not 9x7"));
}

TEST(Registry, GamesAreTheSameWhateverTheirRuleOfRepetition) {
  const auto same = [](const char* a, const char* b) { return same_but_for_repetition(parse_game(a), parse_game(b)); };
  EXPECT_TRUE(same("quoridor:7x7,walls=8", "quoridor:7x7,walls=8,repetition=3"));
  EXPECT_TRUE(same("quoridor:repetition=2", "quoridor:repetition=3"));
  EXPECT_TRUE(same("go:5x5", "go:5x5"));
  EXPECT_FALSE(same("quoridor:7x7,walls=8", "quoridor:7x7,walls=7,repetition=3"));
  EXPECT_FALSE(same("quoridor:7x7,walls=8", "quoridor-kid"));
  EXPECT_FALSE(same("go:5x5", "go:5x5,komi=0.5"));
  EXPECT_EQ(name_of(without_repetition(parse_game("quoridor:7x7,repetition=3"))), "quoridor:7x7");
  EXPECT_EQ(name_of(without_repetition(parse_game("go:5x5"))), name_of(parse_game("go:5x5")));
}

}  // namespace
}  // namespace koridor
