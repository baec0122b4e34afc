// The reader in Python of docs/front_ends.md, taken from the page as it is, against our evaluator; and what
// `koridor evaluate` prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "tests/cli/command.h"

namespace koridor {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A random model of the game, in a file of the folder. Every second block pools.
std::string pooling_model_of(const std::string& game, const test::TemporaryFolder& folder) {
  ModelInfo info;
  info.game = game;
  info.network = {
      .blocks = 2, .channels = 8, .pool_every = 2, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.encoding_version = known.encoding(info.features).version;
        info.signature = signature(known.encoding(info.features));
      },
      parse_game(game));
  Model model = random_model(info, 7);
  for (auto& [name, values] : model.tensors) {
    // Biases start at zero, and a reader that forgot one would not be noticed.
    if (name.ends_with(".bias")) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.05f * static_cast<float>(i % 5) - 0.1f;
    }
  }
  std::string path = (folder / "model.koridor").string();
  save_model(path, model);
  return path;
}

// The page's block of Python.
std::string reader() {
  const std::string page = read_file(std::string(KORIDOR_DOCS) + "/front_ends.md");
  const std::string begin = "```python\n";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("```", at) - at);
}

struct Position {
  std::string game;
  std::string moves;
  friend std::ostream& operator<<(std::ostream& out, const Position& position) {
    return out << position.game << ": " << position.moves;
  }
};

class FrontEnd : public testing::TestWithParam<Position> {};

bool has_numpy() {
  return test::run(std::string(KORIDOR_PYTHON) + " -c 'import numpy'").status == 0;
}

// The reader's value and policy of the model (a word of a shell) after these moves against those of `koridor evaluate`.
void expect_agreement(const std::string& model, const std::string& moves) {
  const test::TemporaryFolder folder;
  const std::string ask = "evaluate " + model + " --moves '" + moves + "' --json";
  const test::CommandResult evaluated = test::koridor(ask + " --planes");
  ASSERT_EQ(evaluated.status, 0) << evaluated.output;
  write_file_atomically(folder / "position.json", evaluated.output);
  write_file_atomically(folder / "reader.py", reader());

  const test::CommandResult read = test::run(std::string(KORIDOR_PYTHON) + " " + (folder / "reader.py").string() + " " +
                                             model + " " + (folder / "position.json").string());
  ASSERT_EQ(read.status, 0) << read.output;
  const json expected = json::parse(evaluated.output);
  std::istringstream words(read.output);
  std::string word;
  words >> word;
  EXPECT_EQ(word, "value");
  double number = 0.0;
  for (const double value : expected["value"]) {
    words >> number;
    EXPECT_NEAR(number, value, 1e-4);
  }
  std::size_t actions = 0;
  for (; words >> word >> number; ++actions) {
    ASSERT_LT(actions, expected["actions"].size());
    EXPECT_EQ(word, expected["actions"][actions]["name"].get<std::string>());
    EXPECT_NEAR(number, expected["actions"][actions]["probability"].get<double>(), 1e-4);
  }
  EXPECT_EQ(actions, expected["actions"].size());
}

TEST_P(FrontEnd, ReaderInPythonAgreesWithOurEvaluator) {
  if (!has_numpy()) GTEST_SKIP() << "there is no numpy: scripts/setup installs it";
  const test::TemporaryFolder folder;
  expect_agreement(pooling_model_of(GetParam().game, folder), GetParam().moves);
}

TEST(FrontEndPage, ReaderReadsTheCompactModelsThatComeWithKoridor) {
  if (!has_numpy()) GTEST_SKIP() << "there is no numpy: scripts/setup installs it";
  expect_agreement(shell_word(KORIDOR_SOURCES "/models/trained/quoridor-5x5.koridor"), "c4 c2");
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, FrontEnd,
                         testing::Values(Position{"quoridor:5x5,walls=3", "c4 c2 b3h"},
                                         Position{"quoridor4:5x5,walls=2", "c4"}, Position{"blockade:7x8", ""},
                                         Position{"go:5x5", "C3 pass"}));

TEST(FrontEndPage, ReaderHasAtMostSixtyLines) {
  const std::string text = reader();
  EXPECT_THAT(text, HasSubstr("def forward"));
  EXPECT_LE(std::ranges::count(text, '\n'), 60);
}

TEST(Evaluate, PrintsValueAndPolicyOfLegalActions) {
  const test::TemporaryFolder folder;
  const std::string model = pooling_model_of("quoridor:5x5,walls=3", folder);
  const json start = json::parse(test::koridor("evaluate " + model + " --json").output);
  EXPECT_EQ(start["game"], "quoridor:5x5,walls=3");
  EXPECT_EQ(start["player"], 0);
  EXPECT_EQ(start["logits"].size(), 3u * 25u + 1u);
  EXPECT_EQ(start["actions"].size(), 3u + 32u);
  EXPECT_FALSE(start.contains("planes"));
  double total = 0.0;
  for (const json& action : start["actions"]) {
    total += action["probability"].get<double>();
    EXPECT_EQ(action["logit"], start["logits"][action["policy_index"].get<std::size_t>()]);
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  EXPECT_NEAR(start["value"][0].get<double>() + start["value"][1].get<double>() + start["value"][2].get<double>(), 1.0,
              1e-5);

  // Player two sees the board turned: its own pawn is at the same place of the planes.
  const json second = json::parse(test::koridor("evaluate " + model + " --moves c4 --json --planes").output);
  EXPECT_EQ(second["player"], 1);
  EXPECT_EQ(second["planes"][1][4][2], 1.0);

  const std::string text = test::koridor("evaluate " + model + " --moves c4 --top 2 --planes").output;
  EXPECT_THAT(text, AllOf(HasSubstr("after 1 ply, player 2 to move"), HasSubstr("\nvalue    player 1 0."),
                          HasSubstr("the first 2 of 35 legal actions"), HasSubstr("\nplane 12\n")));
}

TEST(Evaluate, RefusesWhatItCannotEvaluate) {
  const test::TemporaryFolder folder;
  const std::string model = pooling_model_of("quoridor:3x3,walls=0", folder);
  EXPECT_THAT(test::koridor("evaluate " + model + " --game go:5x5").output,
              AllOf(HasSubstr("koridor: "), HasSubstr("family")));
  const test::CommandResult over = test::koridor("evaluate " + model + " --moves 'b2 a1 b1'");
  EXPECT_EQ(over.status, 2);
  EXPECT_THAT(over.output, HasSubstr("--moves: "));
  EXPECT_THAT(test::koridor("evaluate " + model + " --moves e9").output, HasSubstr("e9 is off the board"));
}

}  // namespace
}  // namespace koridor
