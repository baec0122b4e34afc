// Pictures: those of runs, and files that a picture must not take the place of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/files.h"
#include "tests/cli/command.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tables_of.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::json_of;
using test::koridor;
using test::make_run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

}  // namespace
}  // namespace koridor
