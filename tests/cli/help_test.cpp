// What --help says, and for which width.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/command.h"
#include "tests/cli/words_of.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Help, TellsWhatToType) {
  const test::CommandResult help = koridor("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* command :
       {"games", "perft", "train", "status", "selfplay", "learn", "match", "tournament", "rate", "compare", "play",
        "page", "solve", "yardstick", "yardstick-set", "inspect", "score", "bench"}) {
    EXPECT_THAT(help.output, HasSubstr("\n  " + std::string(command) + " "));
    const test::CommandResult own = koridor(std::string(command) + " --help");
    EXPECT_EQ(own.status, 0) << command;
    EXPECT_THAT(own.output, HasSubstr("Usage: koridor " + std::string(command)));
  }
}

// Each is run without a terminal, for which 80 columns stand.
TEST(Help, IsAsWideAsATerminal) {
  std::set<std::string> commands = test::words_of(koridor("--help").output, "\n  ([a-z][a-z-]*) ");
  ASSERT_THAT(commands, Contains("match"));
  commands.insert("");
  for (const std::string& command : commands) {
    for (const char* help : {" --help", " --help-all"}) {
      std::istringstream lines(koridor(command + help).output);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << command << help << ": " << line;
    }
  }
  const std::string match = koridor("match --help").output;
  EXPECT_THAT(match, HasSubstr("\n  --sprt TEST                 Play until a sequential test has decided, as in"
                               "\n                              elo0=0,elo1=10,alpha=0.05,beta=0.05\n"));
  EXPECT_THAT(match, HasSubstr("\n  MODEL[@PRECISION]   tree search with the model of a file, perhaps in a"
                               "\n                      precision of its own (f32, bf16 or int8)\n"));
  EXPECT_THAT(koridor("rate --help").output,
              HasSubstr("\nSeveral runs of one game are put on one scale: some of their generations meet,"
                        "\nand one fit of Elo covers all matches.\n"))
      << "a paragraph is broken anew";
  EXPECT_THAT(koridor("export --help").output,
              HasSubstr("\n  torchscript  for LibTorch and PyTorch; it is loaded again and compared before"
                        "\n               it is kept\n  koridor      a model file"));
}

TEST(Help, IsAskedForByTheWord) {
  EXPECT_EQ(koridor("help").output, koridor("--help").output);
  EXPECT_EQ(koridor("help").status, 0);
  EXPECT_EQ(koridor("help perft").output, koridor("perft --help").output);
  expect_refused("help nothing", "there is no subcommand \"nothing\"");
}

// The actions that a help text gives as an example of --moves are legal in the game that it names.
TEST(Help, ExamplesOfMovesAreLegal) {
  for (const std::string command : {"perft", "solve"}) {
    const std::string help =
        std::regex_replace(koridor(command + " --help").output, std::regex("\\s+"), " ");  // it has lines
    std::smatch found;
    ASSERT_TRUE(std::regex_search(help, found, std::regex("e\\.g\\. (\"[^\"]+\") for ([a-z0-9:,=]+)"))) << help;
    const test::CommandResult result = koridor("perft " + found[2].str() + " --depth 1 --moves " + found[1].str());
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

}  // namespace
}  // namespace koridor
