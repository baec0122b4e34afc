// Queries of the analysis protocol: boards and rules, what is not known or wrong, lines that are no queries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/cli/analysis_support.h"
#include "tests/three_kos.h"

namespace koridor::cli {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(AnalysisProtocol, AQueryMayNameItsGame) {
  Conversation conversation("quoridor:5x5,walls=3");
  const json query = {{"id", "x"}, {"game", "quoridor:5x5,walls=1"}, {"moves", {"c4", json::array({"2", "b1h"})}}};
  EXPECT_EQ(conversation.answer(query)["rootInfo"]["currentPlayer"], "1");
  const auto refused = [&](const std::string& game, const std::string& what) {
    const json said = conversation.answer({{"id", "x"}, {"game", game}, {"moves", json::array()}});
    EXPECT_EQ(said["field"], "game") << said;
    EXPECT_THAT(said["error"].get<std::string>(), HasSubstr(what));
  };
  refused("quoridor:5x5,wals=1", "walls");
  refused("go:5x5", "small.koridor");
  Conversation of_go("go:5x5");
  const json named =
      of_go.answer({{"id", "x"}, {"game", "go:5x5,komi=3.5"}, {"moves", {"C3"}}, {"includePolicy", true}});
  EXPECT_TRUE(named["policy"].is_object());
  EXPECT_TRUE(named["policy"].contains("pass"));
}

TEST(AnalysisProtocol, AQueryMayBeginFromAPositionThatWasSetUp) {
  Conversation conversation("quoridor:5x5,walls=3");
  json query = {{"id", "x"}, {"moves", json::array({json::array({"2", "c4"})})}, {"includePolicy", true}};
  // In the standard notation they stand on c3 and c2.
  query["start"] = {{"mover", 1}, {"pawns", {{{"seat", 0}, {"at", {2, 2}}}, {{"seat", 1}, {"at", {1, 2}}}}}};
  const json said = conversation.answer(query);
  EXPECT_EQ(said["rootInfo"]["currentPlayer"], "1") << said;
  EXPECT_TRUE(said["policy"].contains("c2")) << "the other pawn has gone from there to c4";
  EXPECT_FALSE(said["policy"].contains("c4"));
  query["start"]["mover"] = 0;
  EXPECT_EQ(conversation.answer(query)["field"], "moves") << "it is another player's turn";
  query["start"]["mover"] = 2;
  const json wrong = conversation.answer(query);
  EXPECT_EQ(wrong["field"], "start");
  EXPECT_THAT(wrong["error"].get<std::string>(), HasSubstr("\"mover\" is a whole number from 0 to 1"));
}

// The position after the stones and moves, seen through the hash of a query that plays it.
std::string hash_of(Conversation& conversation, const json& changes) {
  json query = go_query();
  query.update(changes);
  const json said = conversation.answer(query);
  EXPECT_TRUE(said.contains("rootInfo")) << said;
  return said.contains("rootInfo") ? said["rootInfo"]["thisHash"].get<std::string>() : "";
}

TEST(AnalysisProtocol, StonesColoursAndPointsAreReadAsDocumented) {
  Conversation conversation("go:5x5");
  const std::string plain = hash_of(conversation, {{"moves", pairs("B C3 W A5")}});
  EXPECT_EQ(hash_of(conversation, {{"moves", pairs("black c3 w (0,0)")}}), plain);
  EXPECT_NE(hash_of(conversation, {{"moves", pairs("B C3 B A5")}}), plain);
  const json stones = pairs("B C3 W A5");
  const std::string black = hash_of(conversation, {{"initialStones", stones}});
  const std::string white = hash_of(conversation, {{"initialStones", stones}, {"initialPlayer", "w"}});
  EXPECT_NE(black, white);
  EXPECT_EQ(hash_of(conversation, {{"initialStones", stones}, {"initialPlayer", "B"}}), black);
  json query = go_query();
  query.update({{"initialStones", stones}, {"moves", pairs("W B2 W pass W B3")}});
  EXPECT_EQ(conversation.answer(query)["rootInfo"]["currentPlayer"], "B");

  query["moves"] = pairs("B pass W pass B E1");
  EXPECT_EQ(conversation.answer(query)["rootInfo"]["gameOver"], false) << "play went on after two passes";

  query = go_query();
  query.update({{"rules", "japanese"}, {"moves", pairs("W A1 B A2 B B1 B pass B pass B pass B pass")}});
  const std::vector<json> passed = conversation.answers(query);
  EXPECT_EQ(passed.back()["rootInfo"]["gameOver"], false) << "three passes of black repeat a position: " << passed;

  query = go_query();
  query.update({{"moves", pairs("B B2")}});
  const json one = conversation.answer(query);
  query.update({{"moves", pairs("B D4")}});
  const json turned = conversation.answer(query);
  EXPECT_NE(one["rootInfo"]["thisHash"], turned["rootInfo"]["thisHash"]);
  EXPECT_EQ(one["rootInfo"]["symHash"], turned["rootInfo"]["symHash"]);
}

// The points by which black has won at the end of a game: two passes on an empty board.
double final_lead(Conversation& conversation, const json& changes) {
  json query = go_query();
  query["moves"] = pairs("B pass W pass");
  if (!changes.is_null()) query.update(changes);
  std::vector<json> said = conversation.answers(query);
  std::erase_if(said, [](const json& line) { return line.contains("warning"); });
  EXPECT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["rootInfo"]["gameOver"], true) << said[0];
  return said[0]["rootInfo"]["finalLead"];
}

TEST(AnalysisProtocol, ARepetitionThatDrawsTheGameLeadsNobody) {
  Conversation conversation("go:5x5");
  json query = go_query();
  std::string moves;
  std::istringstream words(test::kThreeKos);
  for (std::string point, colour = "B"; words >> point; colour = colour == "B" ? "W" : "B") {
    moves += colour + " " + point + " ";
  }
  query.update({{"rules", "japanese"}, {"boardXSize", 12}, {"boardYSize", 3}, {"moves", pairs(moves)}});
  const json root = conversation.answers(query).back()["rootInfo"];
  EXPECT_EQ(root["gameOver"], true) << root;
  EXPECT_EQ(root["finalLead"], 0.0) << root;
}

TEST(AnalysisProtocol, RulesDecideKomiAndHandicap) {
  Conversation conversation("go:5x5");
  EXPECT_EQ(final_lead(conversation, {}), -7.5);
  EXPECT_EQ(final_lead(conversation, {{"komi", 0.5}}), -0.5);
  EXPECT_EQ(final_lead(conversation, {{"rules", {{"scoring", "AREA"}, {"komi", -3}}}}), 3.0);
  EXPECT_EQ(final_lead(conversation, {{"rules", "{\"ko\":\"SIMPLE\",\"komi\":2.5}"}}), -2.5);
  const json stones = pairs("B B2 B D4");
  const auto handicap = [&](const json& rules) {
    return final_lead(conversation, {{"rules", rules}, {"initialStones", stones}, {"komi", 0}});
  };
  EXPECT_EQ(handicap("tromp-taylor"), 25.0);
  EXPECT_EQ(handicap("Chinese"), 23.0);
  EXPECT_EQ(handicap("aga"), 24.0);
  EXPECT_EQ(handicap("stone_scoring"), 23.0) << "the nearest rules";
  EXPECT_EQ(handicap("aga-button"), 24.0);
  EXPECT_EQ(handicap({{"whiteHandicapBonus", "N-1"}}), 24.0);
  EXPECT_EQ(final_lead(conversation,
                       {{"rules", "chinese"}, {"initialStones", stones}, {"komi", 0}, {"whiteHandicapBonus", "0"}}),
            25.0);
  EXPECT_EQ(final_lead(conversation, {{"overrideSettings", {{"reportAnalysisWinratesAs", "WHITE"}}}}), 7.5);
  json query = go_query();
  query.update({{"rules", "japanese"}, {"moves", pairs("B pass W pass")}});
  EXPECT_EQ(conversation.answer(query)["rootInfo"]["gameOver"], false) << "the second phase begins";
}

TEST(AnalysisProtocol, WhatIsNotKnownIsAWarning) {
  Conversation conversation("go:5x5");
  json query = go_query();
  query.update({{"colour", 3},
                {"rules", {{"tax", "ALL"}, {"hasButton", true}, {"friendlyPassOk", true}, {"moon", 1}}},
                {"overrideSettings", {{"maxTime", 5}, {"wideRootNoise", 0.1}}}});
  std::vector<std::string> fields;
  const std::vector<json> said = conversation.answers(query);
  for (const json& line : said) {
    EXPECT_EQ(line["id"], "a");
    if (line.contains("warning")) fields.push_back(line["field"]);
  }
  EXPECT_THAT(fields, UnorderedElementsAre("rules", "rules", "rules", "overrideSettings", "colour"));
  EXPECT_EQ(said.size(), 6u);
  EXPECT_TRUE(said.back().contains("moveInfos")) << "warnings come first";
}

TEST(AnalysisProtocol, AWrongFieldIsNamed) {
  Conversation conversation("go:5x5");
  const auto refused = [&](const std::string& field, const json& changes, const std::string& what = "") {
    json query = go_query();
    query.update(changes);
    for (const auto& [name, value] : changes.items()) {
      if (value == "GONE") query.erase(name);
    }
    const json said = conversation.answer(query);
    EXPECT_EQ(said["field"], field) << said;
    EXPECT_EQ(said["id"], "a");
    EXPECT_FALSE(said.contains("moveInfos"));
    EXPECT_THAT(said.value("error", ""), HasSubstr(what)) << changes;
  };
  json long_id = go_query();
  long_id["id"] = std::string(1001, 'x');
  EXPECT_EQ(conversation.answer(long_id)["field"], "id");
  refused("moves", {{"moves", pairs("B C3 W C3")}}, "illegal move 2");
  refused("moves", {{"moves", pairs("B F9")}}, "off the board");
  refused("moves", {{"moves", pairs("X C3")}}, "move 1");
  refused("moves", {{"moves", {"C3"}}}, "pair");
  refused("moves", {{"moves", "C3"}});
  refused("moves", {{"moves", "GONE"}}, "missing");
  refused("boardXSize", {{"boardXSize", "GONE"}}, "missing");
  refused("boardXSize", {{"boardXSize", 20}}, "19");
  refused("boardYSize", {{"boardYSize", 4.5}}, "whole");
  refused("rules", {{"rules", "chinees"}}, "chinese");
  refused("rules", {{"rules", {{"ko", "NEVER"}}}});
  refused("rules", {{"rules", {{"suicide", 3}}}}, "suicide");
  refused("komi", {{"komi", 5.25}}, "half");
  refused("komi", {{"komi", 200}});
  refused("initialStones", {{"initialStones", pairs("B C3 W C3")}});
  refused("initialStones", {{"initialStones", pairs("B pass")}});
  refused("initialPlayer", {{"initialPlayer", "green"}});
  refused("analyzeTurns", {{"analyzeTurns", {1}}});
  refused("analyzeTurns", {{"analyzeTurns", json::array()}});
  refused("priorities", {{"priorities", {1, 2}}});
  refused("maxVisits", {{"maxVisits", 0}});
  refused("maxVisits", {{"maxVisits", "many"}});
  refused("maxVisits", {{"maxVisits", 1e300}});
  refused("includePolicy", {{"includePolicy", 1}});
  refused("reportDuringSearchEvery", {{"reportDuringSearchEvery", -1}});
  refused("overrideSettings", {{"overrideSettings", {{"maxTime", "long"}}}});
  refused("overrideSettings", {{"overrideSettings", {{"reportAnalysisWinratesAs", "GREEN"}}}});
  refused("avoidMoves", {{"avoidMoves", {{{"player", "B"}, {"moves", {"Q9"}}, {"untilDepth", 1}}}}});
  refused("allowMoves", {{"allowMoves", {{{"moves", json::array()}}}}}, "no legal action");
  refused("allowMoves", {{"allowMoves", {{{"moves", {"C3"}}}}}, {"avoidMoves", json::array()}});
  refused("action", {{"action", "query_versoin"}}, "query_version");
  refused("terminateId", {{"action", "terminate"}});
  Conversation of_walls("quoridor:5x5,walls=3");
  const json turn = of_walls.answer({{"id", "x"}, {"moves", json::array({json::array({"2", "c4"})})}});
  EXPECT_EQ(turn["field"], "moves");
  EXPECT_THAT(turn["error"].get<std::string>(), HasSubstr("player 1"));
}

TEST(AnalysisProtocol, NoLineEndsTheConversation) {
  Conversation conversation("go:5x5");
  std::vector<std::string> lines = {
      "{",
      "[]",
      "3",
      "{\"id\":3}",
      "{\"moves\":[]}",
      "\xff\xfe{}",
      std::string("{\"id\":\"\0\"}", 9),
      "{\"id\":\"\xc3\x28\"}",
      std::string(200'000, '['),
      "{\"id\":\"a\",\"komi\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}",
      "{\"id\":\"a\",\"action\":[[]]}",
      "{\"id\":\"a\",\"maxVisits\":1e999}",
      std::string(3000, '{')};
  for (const std::string& line : lines) {
    conversation.line(line);
    const std::vector<json> said = conversation.end();
    ASSERT_EQ(said.size(), 1u) << line.substr(0, 40);
    EXPECT_TRUE(said[0].contains("error")) << said[0];
  }
  for (const std::string blank : {"", "  ", "\t\r"}) conversation.line(blank);
  EXPECT_TRUE(conversation.end().empty());
  EXPECT_TRUE(conversation.answer(go_query()).contains("moveInfos"));
}

// Sound queries with some bytes changed, dropped or repeated.
TEST(AnalysisProtocol, DamagedQueriesAreAnswered) {
  const std::vector<std::string> sound = {
      R"q({"id":"a","moves":[["B","C3"],["W","(1,1)"]],"rules":"chinese","boardXSize":5,"boardYSize":5,"komi":7.5,)q"
      R"q("maxVisits":3,"analyzeTurns":[0,2],"priorities":[1,2],"includePolicy":true,"includeOwnership":true})q",
      R"q({"id":"b","initialStones":[["B","A1"],["W","B2"]],"initialPlayer":"W","moves":[],"rules":{"ko":"SIMPLE",)q"
      R"q("scoring":"TERRITORY","tax":"SEKI","suicide":true,"whiteHandicapBonus":"N-1"},"boardXSize":4,)q"
      R"q("boardYSize":5,"avoidMoves":[{"player":"W","moves":["B2"],"untilDepth":2}],)q"
      R"q("overrideSettings":{"maxTime":0.1},"maxVisits":2})q",
      R"q({"id":"c","action":"terminate","terminateId":"a","turnNumbers":[1]})q"};
  Conversation conversation("go:5x5");
  Random random(11);
  int errors = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    std::string line = sound[static_cast<std::size_t>(random.below(static_cast<int>(sound.size())))];
    for (int changes = 1 + random.below(3); changes > 0; --changes) {
      const auto place = static_cast<std::size_t>(random.below(static_cast<int>(line.size())));
      const auto length = static_cast<std::size_t>(1 + random.below(8));
      const int kind = random.below(3);
      if (kind == 0) line[place] = static_cast<char>(random.below(256));
      if (kind == 1) line.erase(place, length);
      if (kind == 2) line.insert(place, line.substr(place, length));
      if (line.empty()) line = " ";
    }
    std::erase(line, '\n');
    conversation.line(line);
    conversation.line(R"({"id":"end","action":"terminate_all"})");
    for (const json& said : conversation.end()) {
      EXPECT_TRUE(said.contains("error") || said.contains("id")) << said;
      errors += said.contains("error") ? 1 : 0;
    }
  }
  EXPECT_GT(errors, 500);
  EXPECT_TRUE(conversation.answer(go_query()).contains("moveInfos"));
}

}  // namespace
}  // namespace koridor::cli
