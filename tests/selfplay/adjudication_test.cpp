#include "selfplay/matches/adjudication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "selfplay/matches/match.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOneWall = "quoridor:5x5,walls=1";

wall::WallGame wall_game(const char* variant) {
  return std::get<wall::WallGame>(parse_game(variant));
}

TEST(Adjudication, RulesAreReadFromText) {
  const ResignRule resign = read_resign_rule("value=0.1,play_on=0.5", "--resign");
  EXPECT_EQ(resign.value, 0.1);
  EXPECT_EQ(resign.turns, 3);
  EXPECT_EQ(resign.play_on, 0.5);
  EXPECT_EQ(read_resign_rule("0.05", "--resign").value, 0.05);
  EXPECT_EQ(read_resign_rule("", "--resign").value, ResignRule{}.value);
  const DrawRule draw = read_draw_rule("plies=40", "--draw");
  EXPECT_EQ(draw.plies, 40);
  EXPECT_EQ(draw.turns, 8);
  EXPECT_THAT(error_of([] { read_resign_rule("value=0.9", "--resign"); }),
              HasSubstr("--resign: value=0.9: value must be a number from 0 to 0.5"));
}

TEST(Adjudication, APlayerResignsAfterSoManyLostTurnsOfItsOwn) {
  const Adjudication rules{.resign = ResignRule{.value = 0.1, .turns = 2}};
  Adjudicator adjudicator(rules, wall_game(kOneWall));
  adjudicator.new_game(false);
  EXPECT_FALSE(adjudicator.judge(0, 10, 0.05f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 11, 0.95f, {}));
  EXPECT_FALSE(adjudicator.judge(0, 12, 0.2f, {}));  // hope: the count begins anew
  EXPECT_FALSE(adjudicator.judge(0, 14, 0.05f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 15, 0.95f, {}));
  const auto verdict = adjudicator.judge(0, 16, 0.05f, {});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome.winner, 1);
  EXPECT_EQ(verdict->reason.text(), "player 1: resign");
}

// As in Blockade, whose turns are two plies; and where moves are taken back.
TEST(Adjudication, TurnsAreCountedAndNotJudgements) {
  const Adjudication rules{.resign = ResignRule{.value = 0.1, .turns = 3}};
  Adjudicator adjudicator(rules, wall_game("blockade"));
  adjudicator.new_game(false);
  for (const int ply : {0, 1, 4, 5}) EXPECT_FALSE(adjudicator.judge(0, ply, 0.05f, {})) << ply;
  EXPECT_FALSE(adjudicator.judge(0, 4, 0.05f, {}));
  EXPECT_FALSE(adjudicator.judge(0, 4, 0.05f, {}));
  EXPECT_FALSE(adjudicator.judge(0, 8, 0.05f, {}));
  EXPECT_TRUE(adjudicator.judge(0, 12, 0.05f, {}));
}

TEST(Adjudication, WithAValueOfZeroNobodyResigns) {
  const Adjudication rules{.resign = ResignRule{.value = 0, .turns = 1}};
  Adjudicator adjudicator(rules, wall_game(kOneWall));
  adjudicator.new_game(false);
  EXPECT_FALSE(adjudicator.judge(0, 10, 0.0f, {}));
}

TEST(Adjudication, AGameThatIsPlayedOnNotesWhoWouldHaveResigned) {
  const Adjudication rules{.resign = ResignRule{.value = 0.1, .turns = 1}};
  Adjudicator adjudicator(rules, wall_game(kOneWall));
  adjudicator.new_game(true);
  EXPECT_FALSE(adjudicator.judge(1, 11, 0.05f, {}));
  EXPECT_FALSE(adjudicator.judge(0, 12, 0.05f, {}));
  EXPECT_EQ(adjudicator.would_resign(), 1);
  adjudicator.new_game(false);
  EXPECT_EQ(adjudicator.would_resign(), -1);
}

TEST(Adjudication, ALongEvenGameIsDrawn) {
  const Adjudication rules{.draw = DrawRule{.plies = 20, .within = 0.1, .turns = 3}};
  Adjudicator adjudicator(rules, wall_game(kOneWall));
  adjudicator.new_game(false);
  for (int ply = 0; ply < 22; ++ply) EXPECT_FALSE(adjudicator.judge(ply % 2, ply, 0.5f, {}));
  EXPECT_EQ(adjudicator.judge(0, 22, 0.55f, {})->outcome.kind, Outcome::Kind::draw);
  adjudicator.new_game(false);
  EXPECT_FALSE(adjudicator.judge(0, 30, 0.5f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 31, 0.9f, {}));  // somebody hopes to win
  EXPECT_FALSE(adjudicator.judge(0, 32, 0.5f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 33, 0.5f, {}));
  EXPECT_TRUE(adjudicator.judge(0, 34, 0.5f, {}));
}

TEST(Adjudication, WhoExpectsNothingNeitherAgreesToADrawNorObjects) {
  const Adjudication rules{.draw = DrawRule{.plies = 0, .within = 0.1, .turns = 3}};
  Adjudicator adjudicator(rules, wall_game(kOneWall));
  adjudicator.new_game(false);
  for (int ply = 0; ply < 100; ++ply) ASSERT_FALSE(adjudicator.judge(ply % 2, ply, std::nullopt, {}));
  EXPECT_FALSE(adjudicator.judge(0, 100, 0.5f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 101, std::nullopt, {}));
  EXPECT_FALSE(adjudicator.judge(0, 102, 0.5f, {}));
  EXPECT_FALSE(adjudicator.judge(1, 103, std::nullopt, {}));
  EXPECT_TRUE(adjudicator.judge(0, 104, 0.5f, {}));
}

MatchResult play(const std::string& a, const std::string& b, const Adjudication& rules, std::map<int, MatchGame>& games,
                 const char* board = kOneWall) {
  MatchOptions options;
  options.games = 40;
  options.opening_plies = 3;
  options.adjudication = rules;
  options.on_game = [&](const MatchGame& game) { games[game.number] = game; };
  const auto player = [](const std::string& text) { return load_player(text, 64, SearchConfig{}); };
  return play_match(parse_game(board), player(a), player(b), options, kNeverStop);
}

// A solver knows the result at once, so its games end after the opening, with the result that they would have had.
TEST(Adjudication, AProvenResultEndsTheGameWithThatResult) {
  std::map<int, MatchGame> whole;
  std::map<int, MatchGame> ended;
  const MatchResult by_rules = play("solver", "solver", {}, whole);
  const MatchResult by_proof = play("solver", "solver", {.proven = true}, ended);
  EXPECT_EQ(by_proof.by_seat, by_rules.by_seat);
  EXPECT_EQ(by_proof.proven, 40);
  EXPECT_EQ(by_rules.proven, 0);
  for (const auto& [number, game] : ended) {
    EXPECT_EQ(game.outcome.winner, whole[number].outcome.winner);
    EXPECT_EQ(std::ssize(game.actions), game.opening_plies);
    EXPECT_EQ(game.reason.text(), "adjudicated: proven");
  }
}

TEST(Adjudication, AlphaBetaAndTreesProveTheirResults) {
  for (const char* player : {"alphabeta:3", "mcts:200"}) {
    std::map<int, MatchGame> games;
    const MatchResult result = play(player, player, {.proven = true}, games);
    EXPECT_GT(result.proven, 30) << player;
  }
}

// Who does not search plays without the rules' proofs and may throw a proven win away.
TEST(Adjudication, WhoDoesNotSearchHasProvenNothing) {
  const TemporaryFolder folder;
  const std::string model = folder.file("model.koridor");
  save_model(model, small_random_model(wall_game(kOneWall).encoding({})));
  std::map<int, MatchGame> whole;
  std::map<int, MatchGame> ended;
  const std::string player = model + ",visits=0,temperature=4";
  const MatchResult by_rules = play(player, "random", {}, whole);
  const MatchResult by_proof = play(player, "random", {.proven = true}, ended);
  EXPECT_EQ(by_proof.proven, 0);
  EXPECT_EQ(by_proof.by_seat, by_rules.by_seat);
  EXPECT_GT(play(model + ",visits=8", "random", {.proven = true}, ended).proven, 0);
}

TEST(Adjudication, ResignationsAndTheirMistakesAreCounted) {
  std::map<int, MatchGame> games;
  const Adjudication rules{.resign = ResignRule{.value = 0.45, .turns = 1, .play_on = 0.5}};
  // With more walls than elsewhere here: races are proven, and who loses a proven race is right to resign.
  const MatchResult result = play("mcts:20", "mcts:20", rules, games, "quoridor:5x5,walls=4");
  int resigned = 0;
  int played_on = 0;
  int wrong = 0;
  for (const auto& [number, game] : games) {
    resigned += game.reason.kind == EndReason::Kind::forfeit ? 1 : 0;
    if (game.would_resign < 0) continue;
    ++played_on;
    wrong += game.outcome.values[static_cast<std::size_t>(game.would_resign)] > 0 ? 1 : 0;
    EXPECT_EQ(game.reason, EndReason{});
  }
  const auto resign = static_cast<std::size_t>(Forfeit::Kind::resign);
  EXPECT_EQ(result.faults[0].lost[resign] + result.faults[1].lost[resign], resigned);
  EXPECT_EQ(result.played_on, played_on);
  EXPECT_EQ(result.wrong_resignations, wrong);
  EXPECT_GT(resigned, 5);
  EXPECT_GT(played_on, 5);
  EXPECT_GT(wrong, 0);  // so little search resigns what can be won
}

}  // namespace
}  // namespace koridor
