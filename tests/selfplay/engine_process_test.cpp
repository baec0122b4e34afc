// The process of an engine: its lines, its end, and what it is given of ours.
#include "selfplay/matches/engines/engine_process.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "tests/eventually.h"
#include "tests/temporary_folder.h"
#include "tests/text_of.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

// Nothing that an engine has started outlives it.
TEST(EngineProcess, EndsWithAllThatItStarted) {
  pid_t child = 0;
  {
    EngineProcess process("sleep 1000 & echo $!; cat", {});
    std::optional<std::string> line;
    while (!(line = process.receive())) continue;
    child = std::stoi(*line);
    EXPECT_EQ(::kill(child, 0), 0);
  }
  const auto gone = [&] {
    const std::string state = text_of(fmt::format("/proc/{}/stat", child));
    return state.empty() || state.find(") Z") != std::string::npos;
  };
  EXPECT_TRUE(eventually(gone));
}

TEST(EngineProcess, HasEndedAlsoWhereTheKernelWaitsForChildren) {
  ::signal(SIGCHLD, SIG_IGN);
  EngineProcess process("read -r line; exit 3", {});
  process.send("end");
  while (process.receive() || !process.ended() || !process.gone()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(process.last_words(), "status 1");
  keep_ended_children();
}

TEST(EngineProcess, TakesLinesOfAnyLengthAndNoneThatNeverEnds) {
  EngineProcess process("cat", {});
  const std::string longest(EngineProcess::kLongestLine - 2, 'a');
  process.send(longest);  // more than a pipe's worth, with what follows
  process.send(longest);
  process.send(std::string("b\0c\r", 4));
  std::vector<std::string> lines;
  while (lines.size() < 3) {
    if (const auto line = process.receive()) lines.push_back(*line);
  }
  EXPECT_EQ(lines[0], longest);
  EXPECT_EQ(lines[1], longest);
  EXPECT_EQ(lines[2], std::string("b\0c", 3));
  EngineProcess endless("while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
                        {});
  while (!endless.ended()) EXPECT_FALSE(endless.receive());
  EXPECT_TRUE(endless.flooded());
}

TEST(EngineProcess, AnEngineThatReadsNothingMoreIsNoFatalSignal) {
  EngineProcess process("exec <&-; echo closed; sleep 0.2; echo; echo last >&2; exit 7", {});
  while (!process.receive()) continue;
  for (int i = 0; i < 10; ++i) process.send("genmove B");
  while (!process.ended()) process.receive();
  while (!process.gone()) continue;
  EXPECT_EQ(process.last_words(), "status 7: last");
}

// `exec exec cat` would look for a program of that name.
TEST(EngineProcess, StartsCommandsThatBeginWithAWordOfTheShell) {
  for (const char* command : {"exec cat", "command cat", " exec\tcat", "eval cat"}) {
    EngineProcess process(command, {});
    process.send("hello");
    std::optional<std::string> line;
    while (!(line = process.receive()) && !process.ended()) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(line.value_or(""), "hello") << command;
  }
}

TEST(EngineProcess, GetsNoOpenFileOfOurs) {
  const TemporaryFolder folder;
  const std::ofstream games(folder.file("games"));
  ASSERT_TRUE(games.is_open());
  EngineProcess process("ls -l /proc/self/fd; echo end", {});
  std::string open;
  while (open.find("end\n") == std::string::npos && !process.ended()) {
    if (const auto line = process.receive()) open += *line + "\n";
  }
  EXPECT_THAT(open, AllOf(HasSubstr("0 -> "), Not(HasSubstr(folder.file("games")))));
}

TEST(EngineProcess, StartsInItsDirectory) {
  const TemporaryFolder folder;
  EngineProcess process("pwd -P", folder.path());
  std::optional<std::string> line;
  while (!(line = process.receive())) continue;
  EXPECT_EQ(*line, std::filesystem::canonical(folder.path()).string());
  EXPECT_THROW(EngineProcess("pwd", folder.path() / "none"), UserError);
}

}  // namespace
}  // namespace koridor
