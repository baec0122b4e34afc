// Tables for programs: every subcommand puts out the same rows as text, as JSON and as CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/table.h"
#include "tests/cli/command.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tables_of.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using nlohmann::json;
using test::json_of;
using test::koridor;
using test::output_of;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Table, SaysTheSameAsTextJsonAndCsv) {
  using enum ColumnType;
  Table table("players", {{"name", text, "", "", -8, "{}"},
                          {"elo", number, "Elo", "Elo", 6, "{:.0f}"},
                          {"share", number, "", "share", 7, "{:.1f}%", 100},
                          {"games", integer},
                          {"sure", truth}});
  table.add({"a,\"b\"", 12.75, 1.0 / 3, 7, true});
  table.add({"c", Cell(), std::nan(""), Cell(), false});
  EXPECT_EQ(table.text(),
            "            Elo   share\n"
            "a,\"b\"        13   33.3%\n"
            "c                  nan%\n");
  EXPECT_EQ(table.csv(),
            "name,elo,share,games,sure\r\n"
            "\"a,\"\"b\"\"\",12.75,0.3333333333333333,7,true\r\n"
            "c,,,,false\r\n");
  const json rows = json::parse(table.json().dump());
  EXPECT_EQ(rows[0]["share"].get<double>(), 1.0 / 3);
  EXPECT_EQ(rows[0]["name"], "a,\"b\"");
  EXPECT_TRUE(rows[0]["games"].is_number_integer());
  EXPECT_TRUE(rows[1]["elo"].is_null() && rows[1]["share"].is_null());
}

TEST(Table, IsAsWideAsItsEntries) {
  using enum ColumnType;
  Table table("players", {{"name", text, "", "name", -16, "{}"}, {"elo", number, "Elo", "Elo", 6, "{:.0f}"}});
  EXPECT_EQ(table.fitted().text(), "name    Elo\n");
  table.add({"gré", 12});
  table.add({"greedy", 7});
  EXPECT_EQ(table.fitted().text(),
            "name      Elo\n"
            "gré        12\n"
            "greedy      7\n");
}

TEST(Table, RefusesCellsThatDoNotFit) {
  Table table("t", {{"n", ColumnType::integer}});
  EXPECT_THROW(table.add({"text"}), std::logic_error);
  EXPECT_THROW(table.add({1, 2}), std::logic_error);
  EXPECT_THROW(table.add({0.5}), std::logic_error);
}

// Lines by the end of line that CSV has; no field of these tables holds one.
std::size_t csv_rows(const std::string& csv) {
  std::size_t ends = 0;
  for (std::size_t at = csv.find("\r\n"); at != std::string::npos; at = csv.find("\r\n", at + 2)) ++ends;
  return ends - 1;
}

// A subcommand with its tables: the cells named here must stand in the text for every row of the JSON.
struct Shown {
  std::string arguments;
  std::string table;
  std::vector<std::string> cells;
  std::string input = "";
};

class EverySubcommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    test::write_tiny_model(*folder_ / "model.koridor", 1, "go:3x3,komi=0.5");
    write_file_atomically(*folder_ / "go.toml", "[run]\ngame = \"go:3x3,komi=0.5\"\n");
    ASSERT_EQ(koridor("selfplay " + path("go.toml") + " --model " + path("model.koridor") + " --out " + path("shards") +
                      " --set selfplay.first_games=2 --set selfplay.visits=4 --set selfplay.cheap_visits=2" +
                      " --set selfplay.slots=2")
                  .status,
              0);
    test::make_run(*folder_, "run", 3, 1);
    ASSERT_EQ(koridor("yardstick-set quoridor:3x3,walls=1 --positions 20 --out " + path("a.yardstick")).status, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }

  static test::TemporaryFolder* folder_;
};
test::TemporaryFolder* EverySubcommand::folder_ = nullptr;

TEST_F(EverySubcommand, PutsOutTheRowsOfItsText) {
  const std::string sgf = "(;SZ[5]RU[chinese]KM[0.5];B[cc];W[];B[])";
  const std::string shard = path("shards") + "/*.h5";
  const std::string rate = "rate " + path("run");
  const std::string yardstick =
      "yardstick " + path("run/models/gen-0001.koridor") + " --set " + path("a.yardstick") + " --visits 2,3";
  const std::vector<Shown> all = {
      {"games", "games", {"id", "title"}},
      {"perft quoridor --depth 1 --divide", "actions", {"action", "leaves"}},
      {"perft quoridor --depth 2", "perft", {"game", "leaves"}},
      {"config", "keys", {}},
      {"match quoridor:3x3,walls=1 --a random --b greedy --games 4", "seats", {"seat", "games", "wins"}},
      {"match quoridor:3x3,walls=1 --a random --b greedy --games 4", "match", {"a", "b", "games"}},
      {"solve quoridor:3x3,walls=1 --actions", "position", {"winner", "plies", "best_actions", "best_play"}},
      {"solve quoridor:3x3,walls=1 --actions", "actions", {"action"}},
      {"score /dev/stdin", "results", {"rules", "result"}, sgf},
      {"score /dev/stdin", "counts", {"what", "black", "white"}, sgf},
      {"inspect " + shard, "shards", {"file", "game", "games", "plies"}},
      {"inspect " + shard, "shards", {"first_model", "last_model"}},
      {"inspect " + shard, "points", {"player"}},
      {"inspect " + shard + " --game 1", "plies", {"ply", "action", "kind", "policy"}},
      {"inspect " + shard + " --game 1", "games", {"record"}},
      {"inspect " + shard + " --verify", "verified", {"file", "games", "plies"}},
      {"inspect " + shard + " --solver", "truth", {"phase", "positions"}},
      {"inspect " + shard + " --variety", "variety", {"ply", "games", "positions"}},
      {"inspect " + path("model.koridor"), "models", {"file", "game", "heads", "checksum", "weights"}},
      {rate, "ratings", {"name", "games"}},
      {rate + " --solver --positions 20", "yardstick", {"name", "positions"}},
      {yardstick, "yardstick", {"player", "visits"}},
      {yardstick, "reliability", {"actions"}},
      {yardstick + " --report", "report", {"precision", "row", "phase"}},
      {yardstick + " --report --search proven_walls=0", "losses", {"loss"}},  // with walls proven nothing is lost
      {"plot " + path("run") + " --out " + path("plot.svg"), "series", {}},
  };
  for (const Shown& shown : all) {
    SCOPED_TRACE(shown.arguments + ": " + shown.table);
    const std::string text = output_of(shown.arguments, shown.input);
    const nlohmann::ordered_json document = json_of(shown.arguments, shown.input);
    ASSERT_TRUE(document.contains(shown.table)) << document.dump(2);
    const nlohmann::ordered_json& rows = document[shown.table];
    ASSERT_FALSE(rows.empty());
    for (const auto& row : rows) {
      for (const std::string& cell : shown.cells) {
        ASSERT_TRUE(row.contains(cell)) << row;
        if (row[cell].is_null()) continue;
        EXPECT_THAT(text, HasSubstr(row[cell].is_string() ? row[cell].get<std::string>() : row[cell].dump()));
      }
    }
    const bool several = document.size() > 2;
    const std::string csv =
        output_of(shown.arguments + " --csv" + (several ? " --table " + shown.table : ""), shown.input);
    EXPECT_EQ(csv_rows(csv), rows.size()) << csv;
    std::string header;
    for (const auto& [name, value] : rows.front().items()) header += (header.empty() ? "" : ",") + name;
    EXPECT_THAT(csv, StartsWith(header + "\r\n"));
  }
}

// The engine is started, answers, and plays the moves of the search in this process, else the bench ends with an error.
TEST_F(EverySubcommand, BenchMeasuresEachProtocolOfAGame) {
  const nlohmann::ordered_json wall = json_of("bench protocol --game quoridor:3x3,walls=1")["protocol"];
  ASSERT_EQ(wall.size(), 2u);
  EXPECT_EQ(wall[0]["protocol"], "qtp");
  EXPECT_EQ(wall[1]["protocol"], "uci");
  EXPECT_GT(wall[0]["first_answer"].get<double>(), 0);
  EXPECT_GT(wall[1]["move"].get<double>(), 0);
  const nlohmann::ordered_json go = json_of("bench protocol --game go:3x3")["protocol"];
  ASSERT_EQ(go.size(), 1u);
  EXPECT_EQ(go[0]["protocol"], "gtp");
}

// The figures differ from call to call; what was measured does not.
TEST_F(EverySubcommand, PutsOutTheRowsOfABench) {
  const std::string text = output_of("bench rules --game quoridor:3x3,walls=1");
  const nlohmann::ordered_json rows = json_of("bench rules --game quoridor:3x3,walls=1")["rules"];
  EXPECT_EQ(static_cast<std::ptrdiff_t>(rows.size()), std::ranges::count(text, '\n') - 1);
  for (const auto& row : rows) {
    EXPECT_THAT(text, HasSubstr(row["what"].get<std::string>()));
    EXPECT_GT(row["median"].get<double>(), 0.0);
  }
}

TEST_F(EverySubcommand, HasOneRowOfJsonPerLineOfText) {
  // Lines of the tables: the text's lines that are no headings and no words between tables.
  const auto lines = [](const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); };
  const nlohmann::ordered_json games = json_of("games");
  EXPECT_EQ(games["games"].size() + games["models"].size(), lines(output_of("games")) - 7);
  EXPECT_EQ(json_of("perft quoridor --depth 1 --divide")["actions"].size(),
            lines(output_of("perft quoridor --depth 1 --divide")) - 1);
  EXPECT_EQ(json_of("rate " + path("run"))["ratings"].size(), lines(output_of("rate " + path("run"))) - 1);
  const std::string config = output_of("config");
  const nlohmann::ordered_json keys = json_of("config")["keys"];
  for (const auto& key : keys) {
    const auto name = key["key"].get<std::string>();
    EXPECT_THAT(config, HasSubstr("\n" + name.substr(name.find('.') + 1) + " = "));
  }
}

TEST_F(EverySubcommand, SaysOnceThatNoShardHasAGame) {
  std::string shard;
  for (const auto& file : std::filesystem::directory_iterator(path("shards"))) {
    if (file.path().extension() == ".h5") shard = file.path().string();
  }
  write_file_atomically(*folder_ / "copy.h5", read_file(shard));
  test::expect_refused("inspect " + shard + " " + path("copy.h5") + " --game 9999",
                       "--game 9999: none of the 2 files holds it; the largest holds the games 0 to 1");
}

TEST_F(EverySubcommand, LeavesNoProgressBeforeARow) {
  const std::string output =
      test::at_terminal(test::program_word("koridor") + " yardstick " + path("run/models/gen-0001.koridor") +
                        " --set " + path("a.yardstick") + " --visits 2");
  EXPECT_THAT(output, HasSubstr(" of 20\r\033[K"));
  EXPECT_THAT(output, Not(ContainsRegex(" of 20/")));
}

TEST_F(EverySubcommand, RefusesJsonAndCsvTogetherAndUnknownTables) {
  EXPECT_EQ(koridor("games --json --csv").status, 2);
  EXPECT_EQ(koridor("match quoridor --a random --b random --csv --table nothing").status, 2);
  const test::CommandResult full = koridor("games --json 3>&1 >/dev/full 2>&3; exit $? #");
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.output, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace koridor
