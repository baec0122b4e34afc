// The analysis protocol: what a program on the other side sees of it, line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/analysis/server.h"
#include "core/base/random.h"
#include "selfplay/session/session.h"
#include "tests/cli/engine_support.h"

namespace koridor::cli {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// With a head for the owners of squares.
std::shared_ptr<const Model> model_with_owners(const AnyGame& game) {
  return test::tiny_model(game, {.ownership = true, .seed = 4});
}

// A server, and what it said.
class Conversation {
 public:
  explicit Conversation(const std::string& game, int positions = 0)
      : model_(model_with_owners(parse_game(game))),
        server_(settings(game, positions), [this](std::string_view line) { hear(line); }) {}

  const std::shared_ptr<const Model>& model() const { return model_; }
  void line(std::string_view text) { server_.line(text); }
  void ask(const json& object) { server_.line(object.dump()); }
  // Everything that was said, when all is answered.
  std::vector<json> end() {
    server_.end();
    const std::lock_guard lock(mutex_);
    return std::exchange(said_, {});
  }
  // All that is said of one query.
  std::vector<json> answers(const json& query) {
    ask(query);
    return end();
  }
  // The only answer.
  json answer(const json& query) {
    const std::vector<json> all = answers(query);
    EXPECT_EQ(all.size(), 1u) << query << "\n" << json(all);
    return all.empty() ? json() : all.front();
  }
  void wait_for_lines(std::size_t lines) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return said_.size() >= lines; });
  }

 private:
  AnalysisSettings settings(const std::string& game, int positions) const {
    AnalysisSettings settings{.defaults = {.game = parse_game(game)}};
    settings.pool.model = model_;
    settings.pool.name = "small.koridor";
    settings.pool.evaluation.precision = "f32";
    settings.pool.threads = 2;
    settings.pool.leaves = 1;
    settings.pool.positions = positions;
    settings.defaults.visits = 20;
    return settings;
  }

  void hear(std::string_view line) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(line.ends_with('\n'));
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    said_.push_back(json::parse(line));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<json> said_;
  std::shared_ptr<const Model> model_;
  AnalysisServer server_;
};

// A list of pairs out of words: "B C3 W D4" is [["B","C3"],["W","D4"]].
json pairs(const std::string& words) {
  std::istringstream in(words);
  json list = json::array();
  for (std::string player, move; in >> player >> move;) list.push_back(json::array({player, move}));
  return list;
}

json go_query(const std::string& id = "a") {
  return {{"id", id}, {"moves", json::array()}, {"rules", "tromp-taylor"}, {"boardXSize", 5}, {"boardYSize", 5}};
}

std::vector<std::string> names_of(const json& moves) {
  std::vector<std::string> names;
  for (const json& move : moves) names.push_back(move["move"]);
  return names;
}

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
  EXPECT_TRUE(said[0]["moveInfos"].empty());
  return said[0]["rootInfo"]["scoreLead"];
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

TEST(AnalysisProtocol, ActionsAreAnswered) {
  Conversation conversation("go:5x5");
  const json version = conversation.answer({{"id", "v"}, {"action", "query_version"}});
  EXPECT_EQ(version["action"], "query_version");
  EXPECT_EQ(version["id"], "v");
  EXPECT_FALSE(version["version"].get<std::string>().empty());
  EXPECT_TRUE(version.contains("git_hash"));
  EXPECT_EQ(conversation.answer({{"id", "c"}, {"action", "clear_cache"}}),
            json({{"id", "c"}, {"action", "clear_cache"}}));
  const json models = conversation.answer({{"id", "m"}, {"action", "query_models"}});
  ASSERT_EQ(models["models"].size(), 1u);
  EXPECT_EQ(models["models"][0]["name"], "small.koridor");
  EXPECT_EQ(models["models"][0]["game"], "go:5x5");
}

TEST(AnalysisProtocol, SearchesReportAndAreTerminated) {
  Conversation conversation("go:5x5", 1);
  json query = go_query("long");
  query.update({{"maxVisits", 1'000'000'000}, {"reportDuringSearchEvery", 0.01}, {"komi", 0.5}});
  conversation.ask(query);
  conversation.wait_for_lines(3);
  json waiting = go_query("waiting");
  waiting.update({{"moves", pairs("B C3 W D4")}, {"analyzeTurns", {0, 1, 2}}});
  conversation.ask(waiting);
  conversation.ask({{"id", "t1"}, {"action", "terminate"}, {"terminateId", "waiting"}, {"turnNumbers", {1, 2}}});
  conversation.ask({{"id", "t2"}, {"action", "terminate"}, {"terminateId", "long"}});
  const std::vector<json> said = conversation.end();
  int during = 0;
  std::vector<int> nothing;
  for (const json& line : said) {
    if (line.contains("action")) continue;
    if (line.contains("noResults")) {
      EXPECT_EQ(line["id"], "waiting");
      EXPECT_EQ(line["isDuringSearch"], false);
      nothing.push_back(line["turnNumber"]);
      continue;
    }
    ASSERT_TRUE(line.contains("moveInfos")) << line;
    if (line["id"] == "waiting") {
      EXPECT_EQ(line["turnNumber"], 0);
    } else {
      during += line["isDuringSearch"].get<bool>() ? 1 : 0;
    }
  }
  EXPECT_GE(during, 3);
  EXPECT_THAT(nothing, ElementsAre(1, 2));
  const auto last = std::ranges::find_if(
      said, [](const json& line) { return line["id"] == "long" && !line.value("isDuringSearch", true); });
  ASSERT_NE(last, said.end());
  EXPECT_GT((*last)["rootInfo"]["visits"].get<int>(), 0);
  const auto echo = std::ranges::find(said, json("t1"), [](const json& line) { return line["id"]; });
  EXPECT_EQ(*echo, json({{"id", "t1"}, {"action", "terminate"}, {"terminateId", "waiting"}, {"turnNumbers", {1, 2}}}));

  conversation.ask(query);
  conversation.ask(waiting);
  conversation.ask({{"id", "all"}, {"action", "terminate_all"}});
  int ended = 0;
  for (const json& line : conversation.end()) ended += line.value("isDuringSearch", true) ? 0 : 1;
  EXPECT_EQ(ended, 4) << "each position has one last answer";
}

TEST(AnalysisProtocol, QueriesMayAllBeSentBeforeAnAnswerIsRead) {
  std::mutex reading;
  std::vector<std::string> heard;
  const AnyGame game = parse_game("go:5x5");
  AnalysisSettings settings{.defaults = {.game = game, .visits = 2}};
  settings.pool.model = model_with_owners(game);
  settings.pool.threads = 2;
  AnalysisServer server(settings, [&](std::string_view line) {
    const std::lock_guard lock(reading);
    heard.emplace_back(line);
  });
  {
    const std::lock_guard nobody_reads(reading);
    for (int i = 0; i < 50; ++i) {
      server.line(go_query(std::to_string(i)).dump());
      server.line(R"({"id":"v","action":"query_version"})");
    }
  }
  server.end();
  EXPECT_EQ(heard.size(), 100u);
}

TEST(AnalysisProtocol, TheEngineSpeaksItWhereTheFirstLineIsJson) {
  for (const std::string game : {"quoridor:5x5,walls=3", "go:5x5"}) {
    test::EngineUnderTest engine(game);
    engine.begin(json({{"id", "x"}, {"game", game}, {"moves", json::array()}}).dump());
    engine.protocol().end();
    const json said = json::parse(engine.take());
    EXPECT_EQ(said["id"], "x");
    EXPECT_EQ(said["rootInfo"]["visits"], 8) << "those of --visits";
    EXPECT_TRUE(engine.protocol().line({.text = "{", .cut = true})) << "a long line";
    engine.protocol().end();
    EXPECT_THAT(engine.take(), HasSubstr("longer than"));
  }
}

}  // namespace
}  // namespace koridor::cli
