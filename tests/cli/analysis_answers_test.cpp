// Answers of the analysis protocol: what they have, whose view they are of, games that are over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "selfplay/session/session.h"
#include "tests/cli/analysis_support.h"

namespace koridor::cli {
namespace {

using testing::UnorderedElementsAre;

TEST(AnalysisProtocol, ABoardOfGoIsAnsweredInFull) {
  Conversation conversation("go:5x5");
  json query = go_query();
  query.update({{"moves", pairs("B C3 W D4")},
                {"maxVisits", 40},
                {"komi", 5.5},
                {"includePolicy", true},
                {"includeOwnership", true},
                {"includeMovesOwnership", true},
                {"includePVVisits", true}});
  const json said = conversation.answer(query);
  EXPECT_EQ(said["id"], "a");
  EXPECT_EQ(said["isDuringSearch"], false);
  EXPECT_EQ(said["turnNumber"], 2);
  EXPECT_EQ(said["rootInfo"]["currentPlayer"], "B");
  EXPECT_EQ(said["rootInfo"]["visits"], 40);
  for (const char* name : {"winrate", "scoreLead", "scoreStdev", "utility", "rawWinrate", "rawLead", "lcb"}) {
    EXPECT_TRUE(said["rootInfo"][name].is_number()) << name;
  }
  ASSERT_EQ(said["policy"].size(), 26u);
  EXPECT_EQ(said["policy"][12], -1) << "C3 is taken";
  EXPECT_EQ(said["policy"][8], -1) << "D4 is taken";
  double sum = 0;
  for (const json& share : said["policy"]) sum += std::max(0.0, share.get<double>());
  EXPECT_NEAR(sum, 1.0, 1e-5);
  ASSERT_EQ(said["ownership"].size(), 25u);
  int order = 0;
  int visits = 0;
  for (const json& move : said["moveInfos"]) {
    EXPECT_EQ(move["order"], order++);
    EXPECT_EQ(move["pv"][0], move["move"]);
    EXPECT_EQ(move["pvVisits"].size(), move["pv"].size());
    EXPECT_EQ(move["pvVisits"][0], move["visits"]);
    EXPECT_EQ(move["ownership"].size(), 25u);
    EXPECT_NEAR(move["utility"].get<double>(), 2 * move["winrate"].get<double>() - 1, 1e-6);
    EXPECT_LE(move["lcb"].get<double>(), move["winrate"].get<double>());
    for (const char* name : {"prior", "scoreLead", "scoreMean", "scoreStdev", "playSelectionValue"}) {
      EXPECT_TRUE(move[name].is_number()) << name;
    }
    visits += move["visits"].get<int>();
  }
  EXPECT_EQ(visits, 40);
}

TEST(AnalysisProtocol, ThePerspectiveTurnsEverything) {
  Conversation conversation("go:5x5");
  json query = go_query();
  query.update({{"moves", pairs("B C3")}, {"includeOwnership", true}});
  const json black = conversation.answer(query);
  query["overrideSettings"] = {{"reportAnalysisWinratesAs", "WHITE"}};
  const json white = conversation.answer(query);
  query["overrideSettings"] = {{"reportAnalysisWinratesAs", "SIDETOMOVE"}};
  json mover = conversation.answer(query);
  for (const char* name : {"winrate", "lcb", "rawWinrate"}) {
    EXPECT_NEAR(black["rootInfo"][name].get<double>() + white["rootInfo"][name].get<double>(), 1.0, 1e-5) << name;
  }
  EXPECT_NE(black["rootInfo"]["winrate"], white["rootInfo"]["winrate"]);
  EXPECT_NEAR(black["rootInfo"]["scoreLead"].get<double>(), -white["rootInfo"]["scoreLead"].get<double>(), 1e-5);
  EXPECT_NEAR(black["ownership"][7].get<double>(), -white["ownership"][7].get<double>(), 1e-5);
  EXPECT_NE(black["ownership"][7], 0);
  EXPECT_NEAR(black["moveInfos"][0]["lcb"].get<double>() + white["moveInfos"][0]["lcb"].get<double>(), 1.0, 1e-5);
  mover["rootInfo"]["seconds"] = white["rootInfo"]["seconds"];
  EXPECT_EQ(mover, white) << "white is to move";
}

TEST(AnalysisProtocol, EveryTurnThatIsAskedForIsAnsweredOnce) {
  Conversation conversation("go:5x5");
  json query = go_query();
  query.update({{"moves", pairs("B C3 W D4 B B2")}, {"analyzeTurns", {3, 0, 1, 3}}});
  std::vector<int> turns;
  for (const json& said : conversation.answers(query)) turns.push_back(said["turnNumber"]);
  EXPECT_THAT(turns, UnorderedElementsAre(0, 1, 3));
}

TEST(AnalysisProtocol, OtherGamesHaveTheSameFormAndTheSameSearch) {
  for (const std::string game : {"quoridor:5x5,walls=3", "quoridor4:5x5,walls=2", "blockade"}) {
    Conversation conversation(game);
    Session session(parse_game(game),
                    {.thinker = {.model = conversation.model(), .name = "small", .evaluation = {.precision = "f32"}}});
    session.play(session.legal()[1]);
    session.play(session.legal()[0]);
    const json said =
        conversation.answer({{"id", "x"}, {"moves", session.move_texts()}, {"maxVisits", 30}, {"includePolicy", true}});
    Session alone(parse_game(game),
                  {.thinker = {.model = conversation.model(), .name = "small", .evaluation = {.precision = "f32"}}});
    alone.set_up(session.move_texts());
    const Analysis& analysis = alone.search({.visits = 30});
    EXPECT_EQ(said["moveInfos"][0]["move"], analysis.best_text);
    EXPECT_EQ(said["rootInfo"]["visits"], analysis.visits);
    EXPECT_EQ(said["rootInfo"]["currentPlayer"], std::to_string(session.seat_to_move() + 1));
    ASSERT_EQ(said["rootInfo"]["values"].size(), static_cast<std::size_t>(session.players()));
    for (int seat = 0; seat < session.players(); ++seat) {
      EXPECT_NEAR(said["rootInfo"]["values"][static_cast<std::size_t>(seat)].get<double>(),
                  analysis.values[static_cast<std::size_t>(seat)], 1e-6);
    }
    std::vector<std::string> named;
    for (const auto& [name, share] : said["policy"].items()) named.push_back(name);
    EXPECT_THAT(named, testing::UnorderedElementsAreArray(session.legal_texts()));
    EXPECT_FALSE(said["rootInfo"].contains("scoreLead"));
    EXPECT_FALSE(said.contains("ownership"));
  }
}

TEST(AnalysisProtocol, GoGoesOnAfterTheEndOfAGame) {
  Conversation conversation("go:5x5");
  const auto checked = [&](json query) {
    query.update({{"includePolicy", true}, {"includeOwnership", true}, {"maxVisits", 40}});
    const json said = conversation.answer(query);
    EXPECT_EQ(said["rootInfo"]["gameOver"], true) << said;
    EXPECT_GT(said["moveInfos"].size(), 1u);
    EXPECT_EQ(said["rootInfo"]["visits"], 40);
    EXPECT_GT(said["rootInfo"]["rawWinrate"], 0) << "the network's word, not the result";
    return said;
  };
  json query = go_query();
  query["moves"] = pairs("B C3 W pass B pass");
  const json board = checked(query);
  EXPECT_EQ(board["rootInfo"]["currentPlayer"], "W");
  EXPECT_GT(board["policy"][25], 0) << "a further pass is legal";
  EXPECT_EQ(board["policy"][12], -1) << "C3 is taken";
  EXPECT_EQ(board["rootInfo"]["finalLead"], 25 - 7.5);
  const json named = checked({{"id", "a"}, {"game", "go:5x5"}, {"moves", {"C3", "pass", "pass"}}});
  EXPECT_TRUE(named["policy"].contains("pass"));
  checked({{"id", "a"}, {"game", "go:5x5,max_plies=2"}, {"moves", {"C3", "B2"}}});
  query["allowMoves"] = {{{"player", "W"}, {"moves", {"C3"}}, {"untilDepth", 1}}};
  EXPECT_EQ(conversation.answer(query)["field"], "allowMoves");
}

TEST(AnalysisProtocol, AWallGameThatIsOverHasNoMoves) {
  Conversation conversation("quoridor:5x5,walls=3");
  const json said = conversation.answer(
      {{"id", "x"}, {"moves", {"b5", "d1", "b4", "d2", "b3", "d3", "b2", "d4", "b1"}}, {"includePolicy", true}});
  EXPECT_EQ(said["rootInfo"]["gameOver"], true) << said;
  EXPECT_EQ(said["rootInfo"]["proven"], true);
  EXPECT_EQ(said["rootInfo"]["winrate"], 1.0);
  EXPECT_EQ(said["moveInfos"], json::array());
  EXPECT_EQ(said["policy"], json::object());
  EXPECT_FALSE(said["rootInfo"].contains("finalLead"));
}

TEST(AnalysisProtocol, SomeMovesCanBeLeftOut) {
  Conversation conversation("go:5x5");
  json query = go_query();
  const json usual = conversation.answer(query);
  const std::string best = usual["moveInfos"][0]["move"];
  query["avoidMoves"] = {{{"player", "B"}, {"moves", {best}}, {"untilDepth", 1}}};
  EXPECT_THAT(names_of(conversation.answer(query)["moveInfos"]), testing::Not(testing::Contains(best)));
  query["avoidMoves"] = {{{"player", "W"}, {"moves", {best}}, {"untilDepth", 1}}};
  EXPECT_THAT(names_of(conversation.answer(query)["moveInfos"]), testing::Contains(best)) << "white is not to move";
  query.erase("avoidMoves");
  query["allowMoves"] = {{{"player", "B"}, {"moves", {"A1", "E5"}}, {"untilDepth", 1}}};
  EXPECT_THAT(names_of(conversation.answer(query)["moveInfos"]), UnorderedElementsAre("A1", "E5"));
  Conversation of_walls("quoridor:5x5,walls=3");
  const json said =
      of_walls.answer({{"id", "x"}, {"moves", json::array()}, {"allowMoves", {{{"moves", {"c4", "b2h"}}}}}});
  EXPECT_THAT(names_of(said["moveInfos"]), UnorderedElementsAre("c4", "b2h"));
}

}  // namespace
}  // namespace koridor::cli
