// The page's requests and their answers, without a socket.
#include "cli/serve/service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/serve/answers.h"
#include "cli/serve/game_line.h"
#include "cli/serve/requests.h"
#include "cli/serve/site.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/matches/plain_players.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor::serve {
namespace {

using nlohmann::json;

constexpr const char* kGame = "quoridor:5x5,walls=3";
const std::atomic<bool> kNeverStop{false};

class Services : public testing::Test {
 protected:
  static std::string save_tiny(const std::string& path) {
    save_model(path, *koridor::test::tiny_model(parse_game(kGame)));
    return path;
  }

  HttpResponse post(const std::string& path, const json& body) {
    return service_.answer({.method = "POST", .path = path, .body = body.dump()});
  }
  json position(const json& body) { return json::parse(post("/api/position", body).body); }

  // The whole choice, in one part.
  Choice choose(const RequestedLine& line, const ChooserRequest& request) {
    return Choosing(searches_, line, request, kNeverStop).go_on(600).value();
  }
  // The whole analysis.
  json analyze(const RequestedLine& line, const SessionLimits& limits) {
    Analysing analysing(searches_, line, "m0", limits);
    EXPECT_TRUE(analysing.go_on(600));
    return json::parse(analysing.picture());
  }

  TemporaryFolder folder_;
  Shelf shelf_{{save_tiny(folder_.file("tiny.koridor"))}, {}};
  Service service_{shelf_, {.slots = 1}};
  Searches searches_{shelf_, {.slots = 1}};
};

TEST_F(Services, ServeThePageAndNothingBesideIt) {
  const auto get = [&](const std::string& path) { return service_.answer({.method = "GET", .path = path}); };
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  for (const SiteFile& file : site_files()) EXPECT_EQ(get(std::string(file.path)).body, file.content);
  for (const char* path : {"/../cli/main.cpp", "/..%2f..%2fetc/passwd", "//etc/passwd", "/index.html/", "/app.js\\",
                           "/api/", "/INDEX.HTML"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  for (const char* path : {"/api/position", "/api/choose", "/api/run/game"}) {
    EXPECT_EQ(get(path).status, 405) << path;
    EXPECT_EQ(get(path).allow, "POST") << path;
  }
  for (const char* path : {"/", "/app.js", "/api/info"}) EXPECT_EQ(post(path, json::object()).status, 405) << path;
}

TEST(Site, IsThatOfTheSourcesAndHasWhatItNames) {
  const std::string dist = KORIDOR_SOURCES "/web/dist";
  for (const SiteFile& file : site_files()) {
    EXPECT_EQ(file.content, read_file(dist + std::string(file.path))) << file.path;
  }
  const std::string page = read_file(dist + "/index.html");
  for (const std::string key : {"src=\"", "href=\""}) {
    for (std::size_t at = page.find(key); at != std::string::npos; at = page.find(key, at + 1)) {
      const std::size_t begin = at + key.size();
      const std::string name = page.substr(begin, page.find('"', begin) - begin);
      EXPECT_NE(find_site_file("/" + name), nullptr) << name;
    }
  }
}

TEST_F(Services, SayWhatThereIs) {
  const json info = json::parse(service_.answer({.method = "GET", .path = "/api/info"}).body);
  EXPECT_EQ(info["models"][0], (json{{"id", "m0"}, {"name", "tiny"}, {"game", kGame}}));
  EXPECT_EQ(info["games"].size(), registered_games().size());
  EXPECT_EQ(info["levels"].size(), levels().size());
}

TEST_F(Services, SayWhichModelsCanPlayAGame) {
  const auto able = [&](const char* game) { return json::parse(post("/api/models", {{"game", game}}).body)["models"]; };
  for (const char* game : {kGame, "quoridor", "quoridor:7x7,walls=20"}) EXPECT_EQ(able(game), json({"m0"})) << game;
  for (const char* game : {"blockade", "quoridor4", "quoridor:players=3", "go:5x5"}) {
    EXPECT_EQ(able(game), json::array()) << game;
    const ChooserRequest request{.player = "model", .model = "m0", .level = "hard"};
    EXPECT_THROW(choose(read_line({{"game", game}}), request), UserError) << game;
  }
  EXPECT_THROW(post("/api/models", {{"game", "chess"}}), UserError);
}

TEST_F(Services, ShowAPositionAndPlayOn) {
  const json seen = position({{"game", kGame}, {"moves", {"c4", "c2"}}, {"ply", 1}});
  EXPECT_EQ(seen["picture"]["ply"], 1);
  EXPECT_EQ(seen["picture"]["moves"].size(), 2U);
  const json played = position({{"game", kGame}, {"moves", {"c4"}}, {"play", "C2"}});
  EXPECT_EQ(played["picture"]["last"]["text"], "c2");
  const json refused = position({{"game", kGame}, {"moves", json::array()}, {"play", "c1"}});
  EXPECT_EQ(refused["refusal"]["reason"], "occupied");
}

TEST_F(Services, RefuseRequestsThatAreWrong) {
  const json wrong[] = {
      json::object(),
      {{"game", "chess"}},
      {{"game", 5}},
      {{"game", std::string(1000, 'a')}},
      {{"game", kGame}, {"moves", "c4"}},
      {{"game", kGame}, {"moves", {"c4", 4}}},
      {{"game", kGame}, {"moves", {"c1"}}},
      {{"game", kGame}, {"moves", {std::string(100, 'a')}}},
      {{"game", kGame}, {"moves", json::array()}, {"ply", 1}},
      {{"game", kGame}, {"moves", json::array()}, {"ply", -1}},
      {{"game", kGame}, {"moves", json::array()}, {"ply", 0.5}},
      {{"game", kGame}, {"start", "here"}},
      {{"game", kGame}, {"moves", json(3000, "c4")}},
  };
  for (const json& body : wrong) EXPECT_THROW(post("/api/position", body), UserError) << body;
  const auto body_error = [&](const std::string& body) {
    return error_of([&] { service_.answer({.method = "POST", .path = "/api/position", .body = body}); });
  };
  EXPECT_EQ(body_error("[]"), "the request's body is no JSON object");
  EXPECT_NE(body_error("[1").find("the request's body is no JSON object: parse error at line 1"), std::string::npos)
      << body_error("[1");
  const std::string nul_and_escape("quoridor:5x5\0\033", 14);
  EXPECT_NE(error_of([&] {
              post("/api/position", {{"game", nul_and_escape}});
            }).find(R"('5x5\x00\x1b')"),
            std::string::npos);
  EXPECT_TRUE(position({{"game", kGame}, {"play", ""}}).contains("refusal"));
  EXPECT_THROW(post("/api/run", {{"run", 0}}), UserError);
  EXPECT_EQ(post("/api/elsewhere", json::object()).status, 404);
}

TEST_F(Services, NameKeysThatAreUnknownOrMissing) {
  const auto error = [&](const std::string& path, const json& body) { return error_of([&] { post(path, body); }); };
  EXPECT_EQ(error("/api/position", {{"game", kGame}, {"movs", {"c4"}}}),
            "unknown key 'movs'; did you mean 'moves'? the keys are game, moves, ply, start, play, reasons");
  EXPECT_EQ(error("/api/position", {{"moves", {"c4"}}}), "\"game\" is missing");
  EXPECT_EQ(error("/api/models", json::object()), "\"game\" is missing");
  EXPECT_EQ(error("/api/read", {{"game", kGame}}), "\"text\" is missing");
  EXPECT_NE(error("/api/run/game", {{"ply", 1}}).find("unknown key 'ply'"), std::string::npos);
  const json start{{"game", kGame}, {"start", {{"mover", 0}, {"stones", json::array()}}}};
  EXPECT_NE(error("/api/position", start).find("the starting position: unknown key 'stones'"), std::string::npos);
  const json stock{{"game", kGame}, {"start", {{"stocks", {{{"horizontal", 3}}}}}}};
  EXPECT_NE(error("/api/position", stock).find("the starting position: unknown key 'horizontal'"), std::string::npos);
  const json line{{"game", kGame}};
  for (const json& body : {line, json{{"game", kGame}, {"player", "model"}, {"level", "easy"}}}) {
    EXPECT_EQ(error_of([&] { begin_choosing(searches_, body, kNeverStop); }), "\"model\" is missing: one of m0");
  }
  EXPECT_EQ(error_of([&] {
              begin_choosing(searches_, {{"game", "go:5x5"}}, kNeverStop);
            }),
            "there is no model for go:5x5 here");
  EXPECT_EQ(error_of([&] { begin_analysing(searches_, line, kNeverStop); }), "\"model\" is missing: one of m0");
  // Those that begin a search ask the same.
  for (const char* path : {"/api/choose", "/api/analyze"}) {
    EXPECT_NE(error_of([&] { read_request(path, R"({"visit":1})"); }).find("unknown key 'visit'"), std::string::npos);
  }
}

// As many serialisers write what is not there, and whole numbers.
TEST_F(Services, TakeNullForWhatIsLeftOutAndWholeNumbersAsAnyNumber) {
  const json plain = position({{"game", kGame}, {"moves", {"c4", "c2"}}, {"ply", 1}});
  EXPECT_EQ(position({{"game", kGame}, {"moves", {"c4", "c2"}}, {"ply", 1.0}, {"start", nullptr}, {"play", nullptr}}),
            plain);
  EXPECT_EQ(position({{"game", kGame}, {"moves", {"c4"}}, {"ply", nullptr}}),
            position({{"game", kGame}, {"moves", {"c4"}}}));
  EXPECT_NE(error_of([&] {
              position({{"game", kGame}, {"moves", {"c4"}}, {"ply", 0.5}});
            }).find("whole number"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { position({{"game", nullptr}}); }), "\"game\" is missing");
  const json chooser{{"game", kGame}, {"player", "greedy"}, {"model", nullptr}, {"level", nullptr}};
  EXPECT_TRUE(begin_choosing(searches_, chooser, kNeverStop).go_on(600));
  const json record{{"game", kGame}, {"moves", {"c4"}}, {"names", nullptr}, {"result", nullptr}, {"resigned", nullptr}};
  EXPECT_EQ(post("/api/write", record).status, 200);
}

// A slot keeps its players, and what ended one request, as a connection that was closed, may be gone by the next one.
TEST_F(Services, ChooseAgainAfterAConnectionIsClosed) {
  const RequestedLine line = read_line({{"game", "quoridor:9x9,walls=10"}});
  const ChooserRequest request{.player = "alphabeta:3"};
  {
    std::atomic<bool> closed{false};
    EXPECT_TRUE(Choosing(searches_, line, request, closed).go_on(600));
    closed = true;
    EXPECT_FALSE(Choosing(searches_, line, request, closed).go_on(0.01));
  }
  EXPECT_TRUE(Choosing(searches_, line, request, kNeverStop).go_on(0.01));
}

TEST_F(Services, SetUpPositionsThatTheGameHas) {
  json start{{"mover", 1},
             {"pawns", {{{"seat", 0}, {"at", {2, 2}}}, {{"seat", 1}, {"at", {1, 2}}}}},
             {"walls", {{{"kind", "horizontal"}, {"at", {0, 0}}}}},
             {"stocks", {{{"any", 2}}, {{"any", 3}}}}};
  const json seen = position({{"game", kGame}, {"start", start}, {"moves", {"c4"}}});
  EXPECT_EQ(seen["picture"]["walls"].size(), 1U);
  EXPECT_EQ(seen["picture"]["stocks"][0]["any"], 2);
  EXPECT_EQ(seen["picture"]["pawns"][1]["at"], json({3, 2}));
  const auto with = [&](const char* key, const json& value) {
    json changed = start;
    changed[key] = value;
    return json{{"game", kGame}, {"start", changed}};
  };
  const json wrong[] = {
      with("pawns", {{{"seat", 0}, {"at", {2, 2}}}, {{"seat", 1}, {"at", {2, 2}}}}),
      with("pawns", {{{"seat", 0}, {"at", {9, 2}}}}),
      with("pawns", {{{"seat", 7}, {"at", {2, 2}}}}),
      with("pawns", {{{"seat", 0}, {"at", {2, -1}}}}),
      with("walls", {{{"kind", "horizontal"}, {"at", {0, 0}}}, {{"kind", "horizontal"}, {"at", {0, 1}}}}),
      with("walls", {{{"kind", "slanted"}, {"at", {0, 0}}}}),
      with("walls", {{{"kind", "vertical"}, {"at", {4, 0}}}}),
      with("stocks", {{{"any", 3}}, {{"any", 4}}}),
      with("mover", 2),
  };
  for (const json& body : wrong) EXPECT_THROW(position(body), UserError) << body;
  const auto refusal = [&](const json& body) { return error_of([&] { position(body); }); };
  EXPECT_EQ(refusal(with("stocks", json::array())),
            "the starting position: with 1 on the board and 6 in the stocks there are 7 walls, but the game has 6; "
            "stocks that are left out are full");
  const json by_kind{{"walls", {{{"kind", "vertical"}, {"at", {0, 0}}}}}};
  EXPECT_NE(refusal({{"game", "blockade"}, {"start", by_kind}}).find("there are 19 vertical walls"), std::string::npos);
  const auto arrived = [&](int mover, int other_row) {
    json body = with("pawns", {{{"seat", 0}, {"at", {0, 2}}}, {{"seat", 1}, {"at", {other_row, 2}}}});
    body["start"]["mover"] = mover;
    return refusal(body);
  };
  EXPECT_EQ(arrived(1, 1), "no error");
  // A person reads these on the page, where players are counted from 1.
  EXPECT_EQ(arrived(0, 1),
            "the starting position: player 1 has arrived, so the game is over, and the next to move is player 2");
  EXPECT_EQ(arrived(1, 4), "the starting position: players 1 and 2 have both arrived");
  for (const json& walls : {json(99), json(-1), json(0.5), json("1")}) {
    EXPECT_EQ(refusal(with("stocks", {{{"any", 2}}, {{"any", walls}}})),
              "the starting position: player 2 has from 0 to 3 walls left, a whole number");
  }
  EXPECT_EQ(refusal({{"game", "blockade"}, {"start", {{"stocks", {{{"vertical", 99}}}}}}}),
            "the starting position: player 1 has from 0 to 9 vertical walls left, a whole number");
  // In Blockade the mover may have moved already.
  for (const int mover : {0, 1}) {
    const json half{{"game", "blockade:5x7,walls=3"}, {"start", {{"mover", mover}, {"phase", "wall"}}}};
    EXPECT_EQ(position(half)["picture"]["phase"], "wall");
    EXPECT_EQ(position(half)["picture"]["mover"], mover);
  }
  EXPECT_THROW(position({{"game", "blockade:5x7,walls=3"}, {"start", {{"phase", "turn"}}}}), UserError);
  EXPECT_THROW(position(with("phase", "wall")), UserError);
  const json go{{"mover", 1}, {"stones", {{{"seat", 0}, {"at", {0, 0}}}, {{"seat", 1}, {"at", {4, 4}}}}}};
  EXPECT_EQ(position({{"game", "go:5x5"}, {"start", go}})["picture"]["stones"].size(), 2U);
}

TEST_F(Services, WriteAndReadRecords) {
  for (const auto& [game, moves] : {std::pair<std::string, json>{kGame, {"c4", "c2", "a1h"}},
                                    std::pair<std::string, json>{"go:5x5", {"C3", "pass"}}}) {
    const json saved = json::parse(post("/api/write", {{"game", game}, {"moves", moves}, {"names", {"Ada"}}}).body);
    const json read = json::parse(post("/api/read", {{"text", saved["text"]}}).body);
    EXPECT_EQ(read["games"][0]["moves"], moves);
    EXPECT_EQ(read["games"][0]["game"], game);
    EXPECT_EQ(read["games"][0]["names"][0], "Ada");
  }
  EXPECT_THROW(post("/api/read", {{"text", "(;GM[1"}}), UserError);
  const json three{{"game", kGame}, {"names", {"Ada", "Bo", "Cy"}}};
  EXPECT_EQ(error_of([&] { post("/api/write", three); }), "\"names\" is a list of at most 2 texts");
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "(;SZ[5])";
  EXPECT_EQ(error_of([&] { post("/api/read", {{"text", many}}); }), "the record has more than 1000 games");
}

// A handicap where a player likes it, and white to move.
TEST_F(Services, ReadAndWriteRecordsOfGoWithStonesSetUp) {
  const std::string text = "(;GM[1]SZ[5]RU[chinese]HA[2]AB[bb][dc];W[cc];B[aa])";
  const json read = json::parse(post("/api/read", {{"text", text}}).body)["games"][0];
  const json start{{"mover", 1}, {"stones", {{{"seat", 0}, {"at", {1, 1}}}, {{"seat", 0}, {"at", {2, 3}}}}}};
  EXPECT_EQ(read["start"], start);
  EXPECT_EQ(read["moves"], json({"C3", "A5"}));
  const json line{{"game", read["game"]}, {"start", start}, {"moves", read["moves"]}};
  EXPECT_EQ(position(line)["picture"]["stones"].size(), 4U);
  const json saved = json::parse(post("/api/write", line).body);
  const json again = json::parse(post("/api/read", {{"text", saved["text"]}}).body)["games"][0];
  for (const char* key : {"game", "start", "moves"}) EXPECT_EQ(again[key], read[key]) << key;
  EXPECT_FALSE(json::parse(post("/api/read", {{"text", "(;SZ[5];B[aa])"}}).body)["games"][0].contains("start"));
  const json wall{{"game", kGame}, {"start", {{"mover", 1}}}};
  EXPECT_NE(error_of([&] { post("/api/write", wall); }).find("has no record in these formats"), std::string::npos);
}

TEST_F(Services, WriteWhoGaveTheGameUp) {
  const auto result = [&](const json& request) {
    const json saved = json::parse(post("/api/write", request).body);
    return json::parse(post("/api/read", {{"text", saved["text"]}}).body)["games"][0]["result"];
  };
  EXPECT_EQ(result({{"game", kGame}, {"moves", {"c4"}}, {"resigned", 0}}), "0-1");
  EXPECT_EQ(result({{"game", kGame}, {"moves", {"c4"}}, {"resigned", 1}}), "1-0");
  EXPECT_EQ(result({{"game", kGame}, {"moves", {"c4"}}, {"resigned", nullptr}}), "");
  EXPECT_EQ(result({{"game", "go:5x5"}, {"resigned", 0}}), "W+R");
  for (const json& wrong : {json(2), json(-1), json("0")}) {
    EXPECT_THROW(result({{"game", kGame}, {"resigned", wrong}}), UserError) << wrong;
  }
  EXPECT_THROW(result({{"game", "quoridor4"}, {"resigned", 0}}), UserError);
  EXPECT_THROW(result({{"game", "go:5x5"}, {"moves", {"pass", "pass"}}, {"resigned", 0}}), UserError);
}

// As players of Go agreed on it, where the rules count otherwise; and where the rules do not end the game at all.
TEST_F(Services, WriteTheResultThatARecordHas) {
  const auto read = [&](const std::string& text) {
    return json::parse(post("/api/read", {{"text", text}}).body)["games"][0];
  };
  const std::string sgf = "(;GM[1]SZ[5]RU[tromp-taylor]KM[3.5]RE[";
  std::vector<std::string> records;
  for (const char* result : {"B+16.5", "W+3.5", "W+T", "b+r", "B+", "0", "Void", "?", ""}) {
    records.push_back(sgf + result + "];B[cc];W[];B[])");
    records.push_back(sgf + result + "];B[cc])");
  }
  records.push_back("[Game \"quoridor:5x5,walls=3\"]\n\n1. c4 1/2-1/2\n");
  records.push_back("[Game \"quoridor4:5x5,walls=2\"]\n\n1. c4 0-1/3-1/3-1/3\n");
  for (const std::string& record : records) {
    const json before = read(record);
    const json line{{"game", before["game"]}, {"moves", before["moves"]}, {"result", before["result"]}};
    const json after = read(json::parse(post("/api/write", line).body)["text"]);
    // A record without a result gets that of the rules.
    EXPECT_TRUE(before["result"] == "" || after["result"] == before["result"]) << record << after["result"];
    EXPECT_EQ(after["moves"], before["moves"]) << record;
  }
  const json odd = read(sgf + "Black wins];B[cc])");
  EXPECT_EQ(odd["result"], "");
  EXPECT_EQ(odd["notes"], json({"the result \"Black wins\" is none that SGF has, and is passed over"}));
}

TEST_F(Services, WriteNoResultThatTheGameCannotHave) {
  const auto error = [&](const std::string& game, const json& moves, const json& result) {
    return error_of([&] { post("/api/write", {{"game", game}, {"moves", moves}, {"result", result}}); });
  };
  const json none = json::array();
  for (const char* wrong : {"1-0", "Black wins", "B+x", "B+1.2.3", "B+.", "B+-1", "+3", "*", "B+R]"}) {
    EXPECT_NE(error("go:5x5", none, wrong).find(" is no result of go:5x5; one is B+3.5, W+R"), std::string::npos)
        << wrong;
  }
  EXPECT_EQ(error(kGame, none, "2-0"), "\"result\": \"2-0\" is no result of quoridor:5x5,walls=3; one is 1-0");
  for (const char* wrong : {"W+R", "1-0-0", "1-1", "*", "c4 1-0", "1-0 [Game \"go\"]", "1-0\n\n1. c4 1-0"}) {
    EXPECT_NE(error(kGame, none, wrong).find(" is no result of "), std::string::npos) << wrong;
  }
  EXPECT_NE(error("quoridor4", none, "1-0").find("one is 1-0-0-0"), std::string::npos);
  EXPECT_EQ(error(kGame, none, std::string(101, '1')), "\"result\" is a text of at most 100 bytes");
  EXPECT_EQ(error(kGame, none, 1), "\"result\" is a text of at most 100 bytes");
  const json won{"c4", "c2", "c3", "b2", "b3", "a2", "b2", "a3", "b1"};
  EXPECT_EQ(error(kGame, won, "0-1"), "\"result\": the moves end the game with 1-0, not with 0-1");
  EXPECT_EQ(error(kGame, won, "1-0"), "no error");
  EXPECT_EQ(error_of([&] {
              post("/api/write", {{"game", kGame}, {"resigned", 0}, {"result", "0-1"}});
            }),
            "\"resigned\" and \"result\" both say how the game ended; name one of them");
}

TEST_F(Services, ChooseByPlayersThatAreKnownAndNoOthers) {
  const RequestedLine line = read_line({{"game", kGame}});
  for (const std::string& player : plain_players()) {
    const Choice choice = choose(line, {.player = player});
    EXPECT_TRUE(position({{"game", kGame}, {"moves", {choice.text}}}).contains("picture"));
  }
  // None of these may load a file or start a program.
  const std::string made = folder_.file("made");
  for (const std::string& player :
       std::vector<std::string>{"uci:touch " + made, "qtp:touch " + made, "gtp:touch " + made, "/etc/passwd", "m0", "",
                                "uci:sh", "alphabeta:9", "random,seconds=9"}) {
    EXPECT_THROW(choose(line, {.player = player}), UserError) << player;
    EXPECT_FALSE(std::filesystem::exists(made)) << player;
  }
  for (const char* model : {"", "m1", "m", "m-1", "m00000000001", "r0g0", "../tiny.koridor", "m0x"}) {
    EXPECT_THROW(choose(line, {.player = "model", .model = model, .level = "hard"}), UserError) << model;
  }
  EXPECT_THROW(choose(line, {.player = "model", .model = "m0", .level = "god"}), UserError);
  EXPECT_THROW(choose(read_line({{"game", "go:5x5"}}), {.player = "model", .model = "m0", .level = "hard"}), UserError);
}

TEST_F(Services, SearchWhatWasAskedAndFromAPositionByHand) {
  const RequestedLine line = read_line({{"game", kGame}, {"moves", {"c4"}}});
  const json analysis = analyze(line, {.visits = 50});
  EXPECT_EQ(analysis["seat"], 1);
  EXPECT_EQ(analysis["visits"], 50);
  const json start{{"mover", 1}, {"pawns", {{{"seat", 0}, {"at", {1, 0}}}, {{"seat", 1}, {"at", {3, 2}}}}}};
  const RequestedLine won = read_line({{"game", kGame}, {"start", start}});
  EXPECT_EQ(choose(won, {.player = "model", .model = "m0", .level = "full"}).text, "c5");  // it wins at once
  EXPECT_THROW(choose(won, {.player = "greedy"}), UserError);
  // The game's own start again, in the same slot.
  EXPECT_EQ(analyze(line, {.visits = 8})["seat"], 1);
}

TEST_F(Services, KeepWhatWasSearchedOfAPositionByHand) {
  const json start{{"mover", 0}, {"pawns", {{{"seat", 0}, {"at", {3, 2}}}, {{"seat", 1}, {"at", {0, 1}}}}}};
  const RequestedLine line = read_line({{"game", kGame}, {"start", start}});
  const int first = analyze(line, {.visits = 20})["nodes"];
  EXPECT_GE(first, 20);
  EXPECT_EQ(analyze(line, {.visits = 20})["nodes"], first + 20);
  const ChooserRequest weak{.player = "model", .model = "m0", .level = "casual"};
  const std::string chosen = choose(line, weak).text;
  analyze(line, {.visits = 300});
  EXPECT_EQ(choose(line, weak).text, chosen) << "no stronger for what was analysed before";
  json other = start;
  other["mover"] = 1;
  EXPECT_EQ(analyze(read_line({{"game", kGame}, {"start", other}}), {.visits = 20})["nodes"], first);
}

TEST_F(Services, SearchInPartsWhatTheyWouldInOne) {
  const RequestedLine line = read_line({{"game", kGame}, {"moves", {"c4"}}});
  const ChooserRequest full{.player = "model", .model = "m0", .level = "full"};
  const std::string whole = choose(line, full).text;
  json analysis = analyze(line, {.visits = 200});
  Searches fresh(shelf_, {.slots = 2});
  Choosing choosing(fresh, line, full, kNeverStop);
  Analysing analysing(fresh, line, "m0", {.visits = 200});
  std::optional<Choice> choice;
  int parts = 0;
  for (bool analysed = false; !analysed || !choice; ++parts) {
    if (!choice) choice = choosing.go_on(0);
    if (!analysed) analysed = analysing.go_on(0);
  }
  EXPECT_GT(parts, 100);
  EXPECT_EQ(choice->text, whole);
  json in_parts = json::parse(analysing.picture());
  for (json* one : {&analysis, &in_parts}) one->erase("seconds");
  EXPECT_EQ(in_parts, analysis);
}

TEST_F(Services, RefuseMoreSearchesThanThereAreSlots) {
  const RequestedLine line = read_line({{"game", kGame}});
  {
    const Analysing analysing(searches_, line, "m0", {.visits = 5000});
    EXPECT_THROW(choose(line, {.player = "random"}), Searches::Busy);
  }
  choose(line, {.player = "random"});
}

TEST_F(Services, EndASearchThatNobodyWaitsFor) {
  const std::atomic<bool> gone{true};
  const RequestedLine line = read_line({{"game", kGame}});
  Analysing analysing(searches_, line, "m0", {.visits = 100'000'000, .stop = &gone});
  EXPECT_TRUE(analysing.go_on(600));
}

}  // namespace
}  // namespace koridor::serve
