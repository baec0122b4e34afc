// `koridor rate`: runs on one scale, and models that are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/files.h"
#include "core/base/json_file.h"
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
using ::testing::StartsWith;

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

TEST(Ratings, AMissingModelIsNamed) {
  const test::TemporaryFolder folder;
  const RunDirectory run(make_run(folder, "run", 3, 1));
  fs::remove(run.model(1));
  const test::CommandResult result = koridor("rate " + run.root().string());
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("gen-0001.koridor: this model is missing, and the generations behind it"));
}

}  // namespace
}  // namespace koridor
