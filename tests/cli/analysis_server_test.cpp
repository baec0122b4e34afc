// The conversation of the analysis protocol: actions, searches that report and are ended, the end of the input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "tests/cli/analysis_support.h"
#include "tests/cli/engine_support.h"

namespace koridor::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
    EXPECT_GT(line["rootInfo"]["visits"], 0) << line;
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

// Queries of a billion visits, one of them still waiting for its turn.
TEST(AnalysisProtocol, TheEndOfTheInputGivesSearchesAGrace) {
  for (const bool gone : {false, true}) {
    Conversation conversation("go:5x5", 1);
    json query = go_query();
    query.update({{"maxVisits", 1'000'000'000},
                  {"moves", pairs("B C3")},
                  {"analyzeTurns", {0, 1}},
                  {"reportDuringSearchEvery", 0.01}});
    conversation.ask(query);
    conversation.wait_for_lines(1);
    int found = 0;
    int nothing = 0;
    for (const json& line : conversation.end(gone ? 1000 : 0.1, gone)) {
      if (line["isDuringSearch"] == true) continue;
      line.contains("noResults") ? ++nothing : ++found;
    }
    EXPECT_EQ(found, 1);
    EXPECT_EQ(nothing, 1);
  }
}

TEST(AnalysisProtocol, AFullTreeIsAWarning) {
  Conversation conversation("go:9x9", 0, 1);
  json query = go_query();
  query.update({{"maxVisits", 5000}, {"boardXSize", 9}, {"boardYSize", 9}, {"moves", pairs("B C3")}});
  const std::vector<json> said = conversation.answers(query);
  ASSERT_EQ(said.size(), 2u);
  const int visits = said[1]["rootInfo"]["visits"];
  EXPECT_LT(visits, 5000);
  EXPECT_EQ(
      said[0],
      json({{"warning", "the tree is full after " + std::to_string(visits) + " of 5000 visits; give more --memory"},
            {"field", "maxVisits"},
            {"id", "a"},
            {"turnNumber", 1}}));
  query["maxVisits"] = 500;
  EXPECT_EQ(conversation.answer(query)["rootInfo"]["visits"], 500) << "without a warning";
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
