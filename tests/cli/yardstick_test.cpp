// Sets of positions from the command line: made, checked and measured on, and runs held against proven values.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/base/files.h"
#include "tests/cli/command.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tiny_run.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"
#include "train/run/yardstick_file.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// `rate` plays the matches that are missing, and with --solver holds every generation against proven values.
TEST(Yardsticks, RateHoldsARunAgainstProvenValues) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "run" / "config.toml", to_toml(parse_config(test::kTinyConfig, "tiny")));
  std::filesystem::create_directories(folder / "run" / "models");
  std::filesystem::rename(test::write_tiny_model(folder / "model.koridor", 1, "quoridor:3x3,walls=1"),
                          folder / "run" / "models" / "gen-0000.koridor");
  const test::CommandResult rate = koridor("rate " + (folder / "run").string() + " --solver --positions 50");
  EXPECT_EQ(rate.status, 0) << rate.output;
  EXPECT_THAT(rate.output, AllOf(HasSubstr("vs greedy"), HasSubstr("in 50 positions where some do not (4 visits)"),
                                 ContainsRegex("\ngen-0000 +[0-9.]+% +[0-9.]+% to [0-9.]+%\n")));
  // Whoever takes its directory for a configuration learns how it goes on.
  for (const char* train : {"train ", "train --run "}) {
    const std::string run = (folder / "run").string();
    expect_refused(train + run, "go on with it by `koridor train " + run + "/config.toml --run " + run + "`");
  }
}

// A set is made, found as it was made, and measured on; what is no set is refused by name.
TEST(Yardsticks, YardstickMeasuresOnASet) {
  const test::TemporaryFolder folder;
  const std::string set = (folder / "a.yardstick").string();
  const std::string make = "yardstick-set quoridor:3x3,walls=1 --positions 30";
  EXPECT_THAT(koridor(make + " --out " + set).output, HasSubstr("30 positions of quoridor:3x3,walls=1"));
  EXPECT_EQ(koridor(make + " --check " + set).status, 0);
  expect_refused(make + " --seed 2 --check " + set, "position 1 is not what was found now");
  expect_refused(make, "--out");
  const test::CommandResult shown = koridor("yardstick solver --set " + set + " --svg " + (folder / "a.svg").string());
  EXPECT_THAT(shown.output, ContainsRegex("\nsolver +100.0%"));
  EXPECT_THAT(read_file(folder / "a.svg"), HasSubstr("</svg>"));
  expect_refused("yardstick solver", "name a set by --set");
  expect_refused("yardstick solver --set quoridor-5x5-wals3", "did you mean 'quoridor-5x5-walls3'");
  expect_refused("yardstick solver --report --set " + set, "name a model");
  expect_refused("yardstick solver --visits 4,2 --set " + set, "rising");
  expect_refused("yardstick mcts,seconds=1 --set " + set, "say by --visits");
  EXPECT_THAT(koridor("yardstick mcts:7 --set " + set).output, ContainsRegex("mcts:7 +7 [^\n]*\n$"));
  // What cannot be written is said before the work: a game that is not, or a file that is no set, would be named else.
  expect_refused("yardstick-set no-game --out .", "cannot write .: ");
  expect_refused("yardstick solver --set no-set --svg .", "cannot write .: ");
  expect_refused("yardstick-set quoridor --player random --positions 1000000 --out " + set, "may not fit");
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=3,repetition=3");
  const std::string head = "player" + std::string(std::max<std::size_t>(model.size(), 24) - 6, ' ') + " visits";
  EXPECT_THAT(koridor("yardstick --visits 1 " + model).output,
              AllOf(HasSubstr("plays without its rule of repetition"), HasSubstr("quoridor-5x5-walls3: 1000 positions"),
                    HasSubstr(head)));
  const std::string go = test::write_tiny_model(folder / "go.koridor", 1, "go:3x3");
  expect_refused("yardstick random " + go + " --set " + set, "go.koridor");  // and no half of a table before it
  write_file_atomically(set, "x");
  expect_refused("yardstick solver --set " + set, "a.yardstick: no set of positions");
}

TEST(Yardsticks, RateHoldsEveryBoardOfARunAgainstProvenValues) {
  const test::TemporaryFolder folder;
  Config config = parse_config(test::kTinyConfig, "tiny");
  config.run.games = {"quoridor:3x3,walls=1", "quoridor:4x4,walls=1", "quoridor"};
  config.rating.baselines = {"random"};
  config.rating.games = 2;
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  std::filesystem::create_directories(folder / "run" / "models");
  std::filesystem::rename(test::write_tiny_model(folder / "model.koridor", 1, "quoridor:3x3,walls=1"),
                          folder / "run" / "models" / "gen-0000.koridor");
  const test::CommandResult rate = koridor("rate " + (folder / "run").string() + " --solver --positions 20");
  EXPECT_EQ(rate.status, 0) << rate.output;
  EXPECT_THAT(rate.output, AllOf(HasSubstr("the proven value of quoridor:3x3,walls=1, in 20 positions"),
                                 HasSubstr("the proven value of quoridor:4x4,walls=1, in 20 positions"),
                                 HasSubstr("koridor: quoridor is too big to solve in")));
  config.run.games = {"quoridor", "quoridor:9x9,walls=9"};
  write_file_atomically(folder / "run" / "config.toml", to_toml(config));
  const test::CommandResult none = koridor("rate " + (folder / "run").string() + " --solver --positions 20");
  EXPECT_EQ(none.status, 2) << none.output;
  EXPECT_THAT(none.output, HasSubstr("\nkoridor: quoridor:walls=9 is too big to solve in"));
}

TEST(Yardsticks, AreKeptInTheRunAndInItsEvents) {
  const test::TemporaryFolder folder;
  const RunDirectory run(test::make_run(folder, "run", 2, 1));
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
  for (const auto& entry : std::filesystem::directory_iterator(run.events() / "yardstick")) {
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

}  // namespace
}  // namespace koridor
