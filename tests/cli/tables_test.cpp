// Tables for programs: every subcommand puts out the same rows as text, as JSON and as CSV; runs on one scale;
// pictures.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/base/table.h"
#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/events.h"
#include "train/run/figure_lines.h"
#include "train/run/run_directory.h"
#include "train/run/yardstick_file.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::koridor;
using ::testing::AllOf;
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

// The standard output of a command that must succeed.
std::string output_of(const std::string& arguments, const std::string& input = "") {
  const test::CommandResult result = koridor(arguments + " 2>/dev/null", input);
  EXPECT_EQ(result.status, 0) << arguments << "\n" << koridor(arguments, input).output;
  return result.output;
}

nlohmann::ordered_json json_of(const std::string& arguments, const std::string& input = "") {
  const std::string output = output_of(arguments + " --json", input);
  const auto document = nlohmann::ordered_json::parse(output, nullptr, false);
  EXPECT_TRUE(document.is_object() && document.contains("units")) << arguments << "\n" << output;
  return document;
}

// Lines by the end of line that CSV has; no field of these tables holds one.
std::size_t csv_rows(const std::string& csv) {
  std::size_t ends = 0;
  for (std::size_t at = csv.find("\r\n"); at != std::string::npos; at = csv.find("\r\n", at + 2)) ++ends;
  return ends - 1;
}

// A run of generations with random weights and the files that `rate` needs.
fs::path make_run(const test::TemporaryFolder& folder, const std::string& name, int generations, std::uint64_t seed,
                  const std::string& game = "quoridor:3x3,walls=1") {
  Config config = parse_config(test::kTinyConfig, "tiny", std::vector<std::string>{"run.game=" + game});
  config.rating.baselines = {"random", "greedy"};
  const RunDirectory run(folder / name);
  write_file_atomically(run.config(), to_toml(config));
  for (int generation = 0; generation < generations; ++generation) {
    fs::create_directories(run.model(generation).parent_path());
    test::write_tiny_model(run.model(generation), seed + static_cast<std::uint64_t>(generation), game);
  }
  return run.root();
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
    make_run(*folder_, "run", 3, 1);
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

TEST(RateOfSeveralRuns, PutsThemOnOneScaleAndPlaysCrossMatchesOnce) {
  const test::TemporaryFolder folder;
  const std::string a = make_run(folder, "a", 3, 1).string();
  const std::string b = make_run(folder, "b", 2, 100).string();
  const std::string store = (folder / "elsewhere" / "store.json").string();
  const std::string rate = "rate " + a + " " + b + " --store " + store + " --cross 2 --cross-games 4";
  const test::CommandResult first = koridor(rate);
  ASSERT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, AllOf(HasSubstr("2 cross matches are to be played"), HasSubstr("\na/gen-0002 "),
                                  HasSubstr("\nb/gen-0001 ")));
  const json stored = read_json(store)["cross_matches"];
  EXPECT_EQ(stored.size(), 2u);
  // A second call reuses them, in the other order of the runs and where a run was moved, too.
  EXPECT_THAT(koridor(rate).output, Not(HasSubstr("are to be played")));
  fs::rename(b, folder / "moved");
  const std::string moved = "rate " + (folder / "moved").string() + " " + a + " --store " + store + " --cross 2";
  const test::CommandResult again = koridor(moved + " --cross-games 4");
  EXPECT_THAT(again.output, AllOf(Not(HasSubstr("are to be played")), HasSubstr("\nmoved/gen-0001 ")));
  EXPECT_EQ(read_json(store)["cross_matches"], stored);

  // The fit has the games of all: the last baseline, which both runs met, has 0.
  const json ratings = json_of(moved + " --cross-games 4")["ratings"];
  ASSERT_EQ(ratings.size(), 7u);
  int games = 0;
  for (const json& row : ratings) {
    if (row["name"] == "greedy") {
      EXPECT_EQ(row["elo"], 0.0);
      EXPECT_EQ(row["games"], 5 * 4);
    } else {
      EXPECT_GT(row["error95"].get<double>(), 0.0);
    }
    games += row["games"].get<int>();
  }
  EXPECT_EQ(games, 2 * (5 * 2 * 4 + 3 * 4 + 2 * 4));  // with the baselines, with the previous one, crosswise
  // Neither run's folder holds anything of the other.
  for (const auto& entry : fs::recursive_directory_iterator(a)) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("cross")));
  }
}

TEST(RateOfSeveralRuns, RefusesOtherGamesAndDamagedStores) {
  const test::TemporaryFolder folder;
  const std::string a = make_run(folder, "a", 1, 1).string();
  const std::string b = make_run(folder, "b", 1, 2, "quoridor:3x3,walls=2").string();
  const auto refused = [](const std::string& arguments, const std::string& what) {
    const test::CommandResult result = koridor(arguments);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, AllOf(StartsWith("koridor: "), HasSubstr(what)));
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
  };
  refused("rate " + a + " " + b, "only runs of the same game have one scale");
  refused("rate " + a + " " + a + "/.", "is named twice");
  const std::string c = make_run(folder, "c", 1, 3).string();
  const std::string store = (folder / "cross-matches.json").string();
  ASSERT_EQ(koridor("rate " + a + " " + c).status, 0);  // beside the runs where it is not said otherwise
  std::string content = read_file(store);
  content[content.find("\"wins\": ") + 8] ^= 1;
  write_file_atomically(store, content);
  refused("rate " + a + " " + c, "cross-matches.json: damaged");
}

TEST(Yardstick, IsKeptInTheRunAndInItsEvents) {
  const test::TemporaryFolder folder;
  const RunDirectory run(make_run(folder, "run", 2, 1));
  const std::string rate = "rate " + run.root().string();
  EXPECT_THAT(koridor(rate).output, Not(HasSubstr("kept")));
  const std::string solved = koridor(rate + " --solver --positions 20").output;
  ASSERT_EQ(read_yardstick(run, 1).size(), 1u);
  EXPECT_EQ(read_yardstick(run, 1)[0].positions, 20);
  const std::string table = koridor(rate).output;
  EXPECT_THAT(table, HasSubstr("kept"));
  const std::string share = fmt::format("{:.1f}%", 100 * read_yardstick(run, 1)[0].share());
  EXPECT_THAT(table, ContainsRegex("gen-0001 .* " + share));
  // What is known is not measured again, and stands once per generation in the events.
  EXPECT_EQ(koridor(rate + " --solver --positions 20").output.substr(table.size()),
            solved.substr(solved.find("\nChoices")));
  koridor(rate + " --solver --positions 10");
  std::string events;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(run.events() / "yardstick")) {
    events = read_file(entry.path());
    ++files;
  }
  EXPECT_EQ(files, 1);
  std::size_t tags = 0;
  for (std::size_t at = events.find("rating/value_kept"); at != std::string::npos;
       at = events.find("rating/value_kept", at + 1)) {
    ++tags;
  }
  EXPECT_EQ(tags, 2u);
  // By other visits it is another figure.
  EXPECT_EQ(koridor(rate + " --solver --positions 10 --visits 1").status, 0);
  ASSERT_EQ(read_yardstick(run, 1).size(), 2u);
  EXPECT_THAT(koridor(rate).output, HasSubstr(fmt::format("{:.1f}%", 100 * read_yardstick(run, 1)[0].share())));
  // A damaged file is named and left out, and measured again where that is asked for.
  std::string content = read_file(run.yardstick(1));
  content[content.find("\"kept\": ") + 8] ^= 1;
  write_file_atomically(run.yardstick(1), content);
  const test::CommandResult damaged = koridor(rate);
  EXPECT_EQ(damaged.status, 0);
  EXPECT_THAT(damaged.output, AllOf(HasSubstr("yardsticks/gen-0001.json: damaged"), HasSubstr("gen-0001  ")));
  EXPECT_THAT(koridor(rate + " --solver --positions 10").output, HasSubstr("it is measured again"));
  EXPECT_EQ(koridor(rate).status, 0);
}

// A picture is written at the end: it must not take the place of what was read or made on the way.
TEST(Pictures, SpareWhatIsRead) {
  const test::TemporaryFolder folder;
  const std::string a = make_run(folder, "a", 1, 1).string();
  const std::string b = make_run(folder, "b", 1, 2).string();
  const std::string store = (folder / "store.json").string();
  const std::string model = (folder / "model.koridor").string();
  fs::copy(RunDirectory(a).model(0), model);
  const std::string content = read_file(model);
  const std::string set = (folder / "set.yardstick").string();
  ASSERT_EQ(koridor("yardstick-set quoridor:3x3,walls=1 --positions 5 --out " + set).status, 0);
  const auto refused = [](const std::string& arguments) {
    const test::CommandResult result = koridor(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_THAT(result.output, HasSubstr("which is read and would be lost"));
  };
  const std::string yardstick = "yardstick " + model + "@f32,level=hard --visits 1 --set " + set + " --svg ";
  refused(yardstick + model);
  refused(yardstick + set);
  EXPECT_EQ(read_file(model), content);
  const std::string rate = "rate " + a + " " + b + " --cross 1 --cross-games 2 --store " + store;
  refused(rate + " --svg " + store);  // also before it is there
  EXPECT_FALSE(fs::exists(store));
  ASSERT_EQ(koridor(rate).status, 0);
  refused("plot " + a + " " + b + " --store " + store + " --out " + store);
}

TEST(Ratings, AMissingModelIsNamed) {
  const test::TemporaryFolder folder;
  const RunDirectory run(make_run(folder, "run", 3, 1));
  fs::remove(run.model(1));
  const test::CommandResult result = koridor("rate " + run.root().string());
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("gen-0001.koridor: this model is missing, and the generations behind it"));
}

// Whether libxml2 takes the picture for well-formed XML.
bool well_formed(const fs::path& picture) {
  const std::string command = std::string(KORIDOR_XMLLINT) + " --noout --nonet '" + picture.string() + "'";
  return std::system(command.c_str()) == 0;
}

TEST(Plot, DrawsWellFormedPicturesOfOneRunAndOfSeveral) {
  const test::TemporaryFolder folder;
  const std::string a = make_run(folder, "a", 2, 1).string();
  const std::string b = make_run(folder, "b <&\"> \U0001F3B2", 2, 9).string();
  ASSERT_EQ(koridor("rate " + a).status, 0);
  ASSERT_EQ(koridor("rate '" + b + "'").status, 0);
  // A file of figures with entries that nobody knows yet, a line that is cut short, and one that is no object.
  std::string figures;
  for (int generation = 0; generation < 200; ++generation) {
    figures += json{{"generation", generation},
                    {"seconds", 10.0 * generation},
                    {"selfplay", {{"wins", {0.5, 0.25}}, {"new_thing", generation}}},
                    {"training", {{"loss", 2.0 / (1 + generation)}, {"losses", {{"policy", 1.5}}}}}}
                   .dump() +
               "\n";
  }
  write_file_atomically(fs::path(a) / "figures.jsonl", figures + "[1]\n{\"generation\": 200, \"sel");
  const fs::path one = folder / "one.svg";
  const test::CommandResult drawn = koridor("plot " + a + " --out " + one.string());
  EXPECT_EQ(drawn.status, 0) << drawn.output;
  EXPECT_THAT(drawn.output, AllOf(HasSubstr("figures.jsonl: line 201 is damaged"), HasSubstr("line 202 is damaged")));
  write_file_atomically(fs::path(a) / "figures.jsonl", figures);
  EXPECT_TRUE(well_formed(one));
  const std::string picture = read_file(one);
  EXPECT_THAT(picture, AllOf(HasSubstr(">Elo<"), HasSubstr("over time"), HasSubstr("Games won by seat 2"),
                             HasSubstr("selfplay new thing"), HasSubstr("Loss, policy"), HasSubstr(">generation<"),
                             HasSubstr(">minutes of work<"), HasSubstr("prefers-color-scheme")));
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
  const fs::path two = folder / "two.svg";
  EXPECT_EQ(koridor("plot " + a + " '" + b + "' --out " + two.string()).status, 0);
  EXPECT_TRUE(well_formed(two));
  EXPECT_THAT(read_file(two),
              AllOf(HasSubstr(">b &lt;&amp;&quot;&gt; \U0001F3B2<"), HasSubstr("2 runs: quoridor:3x3,walls=1")));
  // The numbers of the picture.
  const json series = json_of("plot " + a)["series"];
  EXPECT_EQ(std::ranges::count_if(series, [](const json& row) { return row["series"] == "selfplay.wins.2"; }), 200);
  EXPECT_EQ(koridor("plot " + (folder / "none").string()).status, 2);
  const fs::path model = fs::path(a) / "models" / "gen-0000.koridor";
  const std::string before = read_file(model);
  const test::CommandResult refused = koridor("plot " + a + " --out " + model.string());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("this is a file of the run "));
  EXPECT_EQ(read_file(model), before);
  // One of its charts.
  ASSERT_EQ(koridor("plot " + a + " --chart rating.elo --over time --out " + one.string()).status, 0);
  EXPECT_TRUE(well_formed(one));
  EXPECT_THAT(read_file(one),
              AllOf(HasSubstr("Elo over time"), Not(HasSubstr(">generation<")), Not(HasSubstr("Loss"))));
  const json chosen = json_of("plot " + a + " --chart training.loss")["series"];
  EXPECT_TRUE(std::ranges::all_of(chosen, [](const json& row) { return row["series"] == "training.loss"; }));
  EXPECT_FALSE(chosen.empty());
  const test::CommandResult unknown = koridor("plot " + a + " --chart loss --out " + one.string());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, AllOf(HasSubstr("--chart loss"), HasSubstr("rating.elo, "), HasSubstr("training.loss")));
}

TEST(Plot, LeavesTheRatingsOutWhereMatchesAreDamaged) {
  const test::TemporaryFolder folder;
  const std::string a = make_run(folder, "a", 2, 1).string();
  const std::string b = make_run(folder, "b", 2, 9).string();
  ASSERT_EQ(koridor("rate " + a + " " + b + " --cross-games 2").status, 0);
  const std::string line = R"({"generation":0,"training":{"loss":1},"rating":{"elo":17,"scores":{"random":0.5}}})";
  write_file_atomically(fs::path(a) / "figures.jsonl", line + "\n");
  // The table of both names its own players, so that a line's points are not drawn beside it.
  const json both = json_of("plot " + a + " " + b)["series"];
  EXPECT_TRUE(std::ranges::any_of(both, [](const json& row) { return row["series"] == "rating.elo"; }));
  write_file_atomically(RunDirectory(a).rating(1), "{");
  const std::string picture = (folder / "plot.svg").string();
  const test::CommandResult drawn = koridor("plot " + a + " " + b + " --out " + picture);
  EXPECT_EQ(drawn.status, 0) << drawn.output;
  EXPECT_THAT(drawn.output, AllOf(HasSubstr("gen-0001.json"), HasSubstr("and with it all ratings until `koridor rate`"),
                                  HasSubstr("left out of the picture")));
  EXPECT_TRUE(well_formed(picture));
  const test::CommandResult numbers = koridor("plot " + a + " --csv --out " + picture);
  EXPECT_THAT(numbers.output, AllOf(HasSubstr("training.loss"), Not(HasSubstr("rating."))));
}

TEST(SimulateScaleCommand, HasARowForEachNumberOfWorkers) {
  const test::TemporaryFolder folder;
  const RunDirectory run(make_run(folder, "run", 2, 1));
  write_file_atomically(
      run.figures(), figure_line_text({{"generation", 1},
                                       {"selfplay", {{"games", 60}, {"plies", 10.0}, {"positions_per_second", 100.0}}},
                                       {"training", {{"samples_per_second", 1e6}, {"new_positions", 600}}}}));
  const auto rows = json_of("simulate-scale " + run.root().string() + " --workers 1,4 --worker 2")["scale"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["workers"], 1);
  EXPECT_EQ(rows[1]["workers"], 4);
  const double one = rows[0]["games_per_second"];
  const double four = rows[1]["games_per_second"];
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 2.1) << "a worker plays two games per second";
  EXPECT_GT(four, one);
}

}  // namespace
}  // namespace koridor
