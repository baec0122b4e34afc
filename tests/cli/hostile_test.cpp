// What nobody means, and what somebody means ill: senseless options, lost output, foreign bytes on their way to the
// terminal, models that overflow. scripts/check_hostile tries much more of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Hostile, LostOutputIsAnError) {
  const test::TemporaryFolder folder;
  const std::string errors = (folder / "errors").string();
  for (const char* command :
       {"games", "config", "perft quoridor --depth 1", "match --help",
        "match quoridor:3x3,walls=1 --a random --b random --games 2", "bench rules --seconds 0.1"}) {
    // The comment hides what koridor() adds.
    EXPECT_EQ(koridor(std::string(command) + " > /dev/full 2> " + errors + " #").status, 2) << command;
    EXPECT_THAT(read_file(errors), AllOf(StartsWith("koridor: standard output could not be written: "),
                                         EndsWith(": No space left on device\n")))
        << command;
    EXPECT_EQ(std::ranges::count(read_file(errors), '\n'), 1) << command;
  }
}

// Their answers come from other threads, without a buffer.
TEST(Hostile, LostAnswersOfProtocolsAreAnError) {
  const std::string queries = R"({"id":"v","action":"query_version"})"
                              "\n"
                              R"({"id":"a","game":"quoridor:5x5,walls=3","moves":[],"maxVisits":1000000000})";
  const std::string model = " --model quoridor-5x5 ";
  for (const auto& [command, input] : std::vector<std::pair<std::string, std::string>>{
           {"analyze" + model, queries},
           {"engine" + model, queries},
           {"engine" + model + "--protocol uci", "uci\ngo nodes 1000000000"},
           {"engine" + model + "--protocol qtp --visits 1000000000", "name\ngenmove white"}}) {
    const test::CommandResult result = koridor(command + " --grace 1000 > /dev/full", input);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_EQ(result.output, "koridor: standard output could not be written: No space left on device\n") << command;
    // The reader of a pipe may go.
    const test::CommandResult piped =
        test::run("trap '' PIPE; { { sleep 0.1; printf '" + input + "' 2> /dev/null; } | " +
                  test::program_word("koridor") + " " + command + "; echo $? >&2; } | true");
    EXPECT_EQ(piped.output, "0\n") << command;
  }
}

// As where a log lies on a full disk: the message is lost, the exit code is not.
TEST(Hostile, LostMessagesEndNoProgramOtherwise) {
  EXPECT_EQ(koridor("perft nosuchgame --depth 1 2> /dev/full #").status, 2);
  EXPECT_EQ(koridor("perft nosuchgame --depth 1 > /dev/full 2> /dev/full #").status, 2);
}

TEST(Hostile, SenselessNumbersAreRefused) {
  const std::string match = "match quoridor:3x3,walls=1 --a random --b random --games 2 ";
  expect_refused(match + "--seed -1", "--seed");
  expect_refused(match + "--seed 18446744073709551616", "--seed");
  expect_refused(match + "--opening-plies nan", "--opening-plies");
  expect_refused(match + "--opening-plies inf", "--opening-plies");
  expect_refused("solve quoridor:3x3,walls=1 --seconds nan", "--seconds");
  expect_refused("bench rules --seconds nan", "--seconds");
  expect_refused("play --model x --seed -1", "--seed");
  expect_refused("inspect x.h5 --top -1", "--top");
  EXPECT_EQ(koridor(match + "--seed 18446744073709551615").status, 0);
}

TEST(Hostile, SenselessConfigurationsAreRefused) {
  expect_refused("config --set selfplay.device=nonsense", "selfplay.device must be auto, cpu, cuda or cuda:NUMBER");
  expect_refused("config --set training.device=cuda:-1", "training.device must be auto, cpu, cuda or cuda:NUMBER");
  expect_refused("match quoridor:3x3,walls=1 --a random --b random --device nonsense", "--device");
  expect_refused("perft quoridor:5x5,walls=3,walls=4 --depth 1", "sets rule 'walls' a second time");
  const test::TemporaryFolder folder;
  const std::string file = (folder / "empty.toml").string();
  for (const char* text : {"", "# nothing\n\n", "[run]\n"}) {
    write_file_atomically(file, text);
    expect_refused("config " + file, "it sets no key");
    expect_refused("train " + file + " --run " + (folder / "run").string(), "it sets no key");
  }
  EXPECT_EQ(koridor("config --set selfplay.device=cuda:1").status, 0);
}

TEST(Hostile, SeveralAssignmentsFollowOneOption) {
  const test::CommandResult config = koridor("config --set run.seed=5 selfplay.visits=9 --set training.batch=64");
  EXPECT_EQ(config.status, 0) << config.output;
  EXPECT_THAT(config.output, AllOf(HasSubstr("seed = 5 "), HasSubstr("visits = 9 "), HasSubstr("batch = 64 ")));
  EXPECT_THAT(koridor("perft --set walls=0 max_plies=9 quoridor:9x9 --depth 3").output, HasSubstr("30 leaves"));
  const std::string match = "match quoridor:3x3,walls=1 --a random --b mcts:4 --games 2 --search ";
  EXPECT_EQ(koridor(match + "c_puct=3 fpu_reduction=0.5").status, 0);
  expect_refused(match + "c_puct=3 fpu=0.5", "--search fpu=0.5");
}

TEST(Hostile, UnexpectedWordsComeInTheirOrder) {
  expect_refused("games one two three", "unexpected: one two three (see `koridor games --help`)");
}

TEST(Hostile, ForeignBytesAreEscapedAndLongOnesCut) {
  const test::CommandResult scored = koridor("score /dev/stdin", "(;SZ[5]PB[\x1b[31m\x07]PW[b\x9b]RE[\x1b[2J];B[cc])");
  EXPECT_EQ(scored.output.find('\x1b'), std::string::npos) << scored.output;
  EXPECT_EQ(scored.output.find('\x07'), std::string::npos) << scored.output;
  expect_refused("perft \"$(printf 'quoridor:\\033[31m')\" --depth 1", "\\x1b[31m");
  const test::CommandResult longest = koridor("perft quoridor:" + std::string(100000, 'A') + " --depth 1");
  EXPECT_EQ(longest.status, 2);
  EXPECT_LT(longest.output.size(), 2100u);
  EXPECT_THAT(longest.output, HasSubstr("write it like quoridor:5x5,walls=3"));
}

TEST(Hostile, AModelThatOverflowsIsRefusedByName) {
  const test::TemporaryFolder folder;
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  ModelInfo info;
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.game = known.name();
        info.encoding_version = known.encoding(info.features).version;
        info.signature = signature(known.encoding(info.features));
      },
      game);
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  Model model = random_model(info, 1);
  for (auto& [name, values] : model.tensors) std::ranges::fill(values, 1e30f);
  const std::string path = (folder / "large.koridor").string();
  save_model(path, model);
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const std::string says = "model " + path + ": its network overflows";
  const std::string shards = (folder / "shards").string();
  expect_refused("selfplay " + (folder / "tiny.toml").string() + " --model " + path + " --out " + shards, says);
  EXPECT_THAT(koridor("inspect " + shards + "/*.h5").output, Not(HasSubstr("games")));
  expect_refused("match quoridor:3x3,walls=1 --a " + path + "@f32 --b random --games 2", "its network overflows");
  // On a board of which the model holds no position it happens in the threads that play.
  expect_refused("match quoridor:5x5,walls=1 --a " + path + " --b random --games 8 --threads 3", says);
  const test::CommandResult played = koridor("play --model " + path + " --hints", "hint\nb2\n");
  EXPECT_EQ(played.status, 2) << played.output;
  EXPECT_THAT(played.output, AllOf(HasSubstr(says), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace koridor
