// What a run that is started twice tells: its lines, figures.jsonl and its events.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(RunOutput, NothingIsToldTwiceAndEachGenerationHasItsFigures) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const fs::path run = folder / "run";
  const std::string command = "train " + (folder / "tiny.toml").string() + " --run " + run.string();
  const test::CommandResult first = test::koridor(command + " --set run.generations=1");
  ASSERT_EQ(first.status, 0) << first.output;
  const test::CommandResult second = test::koridor(command);
  ASSERT_EQ(second.status, 0) << second.output;

  // Before the table of ratings at its end.
  const auto told = [](const std::string& output) {
    return lines_of(output.substr(0, output.find("\n\n", output.find("\ngen-"))));
  };
  std::multiset<std::string> generations;
  for (const std::string& output : {first.output, second.output}) {
    for (const std::string& line : told(output)) {
      EXPECT_LE(line.size(), 80u) << line;
      for (const char byte : line) EXPECT_GE(static_cast<unsigned char>(byte), 0x20) << line;
      if (line.starts_with("gen-")) generations.insert(line.substr(0, 8));
    }
  }
  EXPECT_EQ(generations, (std::multiset<std::string>{"gen-0000", "gen-0001", "gen-0002", "gen-0003"}));
  EXPECT_NE(second.output.find("It goes on from gen-0001"), std::string::npos) << second.output;
  const std::string last = lines_of(second.output).back();
  EXPECT_TRUE(last.ends_with("koridor serve " + run.string())) << last;

  const std::vector<std::string> figures = lines_of(read_file(run / "figures.jsonl"));
  ASSERT_EQ(figures.size(), 4u);
  for (int generation = 0; generation < 4; ++generation) {
    const json line = json::parse(figures[generation]);
    EXPECT_EQ(line["generation"], generation);
    EXPECT_GT(line["seconds"], 0.0);
    EXPECT_TRUE(line["rating"]["elo"].is_number());
    EXPECT_EQ(line["rating"]["scores"].size(), 2u);
    const fs::path events =
        run / "events" / "generations" / ("events.out.tfevents.000000000" + std::to_string(generation) + ".koridor");
    const std::string bytes = read_file(events);
    EXPECT_NE(bytes.find("rating/elo"), std::string::npos);
    EXPECT_EQ(bytes.find("rating/elo"), bytes.rfind("rating/elo"));
    if (generation == 0) continue;
    const json& selfplay = line["selfplay"];
    EXPECT_EQ(selfplay["games"], 60);
    for (const char* name : {"plies", "depth", "largest_depth", "surprise", "positions_per_second"}) {
      EXPECT_GT(selfplay[name], 0.0) << name;
    }
    double ends = 0;
    for (const auto& [name, share] : selfplay["ends"].items()) ends += share.get<double>();
    EXPECT_NEAR(ends, 1.0, 1e-9);
    const json& training = line["training"];
    EXPECT_NEAR(training["policy_kl"].get<double>(),
                training["losses"]["policy"].get<double>() - training["policy_entropy"].get<double>(), 1e-6);
    for (const char* name : {"loss", "top1", "value_brier", "value_calibration_error", "steps", "samples_per_second"}) {
      EXPECT_GT(training[name], 0.0) << name;
    }
    EXPECT_NE(bytes.find("training/policy_kl"), std::string::npos);
    EXPECT_NE(bytes.find("selfplay/wins/2"), std::string::npos);
  }
  EXPECT_TRUE(fs::exists(run / "events" / "last_table"));
}

// As some supervisors start it. Nothing would ever tell the loop that its trainer has ended.
TEST(RunOutput, ARunThatIsStartedWithIgnoredChildrenEnds) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const std::string command = test::program_word("koridor") + " train " + (folder / "tiny.toml").string() + " --run " +
                              (folder / "run").string() + " --set run.generations=1";
  const test::CommandResult result = test::run("timeout -k 5 60 env --ignore-signal=CHLD " + command);
  EXPECT_EQ(result.status, 0) << result.output;
}

}  // namespace
}  // namespace koridor
