// Runs the built executables as a user would.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/base/files.h"
#include "core/base/shell.h"
#include "tests/temporary_folder.h"

namespace koridor::test {

struct CommandResult {
  int status = -1;     // exit code, 128 + signal where one ended it
  std::string output;  // standard output and error together
};

// KORIDOR_PROGRAMS is the build folder, set by CMake.
inline std::string program(const std::string& name) {
  return std::string(KORIDOR_PROGRAMS) + "/" + name;
}

// The same in a command of a shell: the build may lie in a folder whose name has a space.
inline std::string program_word(const std::string& name) {
  return shell_word(program(name));
}

// Runs a command through the shell.
inline CommandResult run(const std::string& command) {
  CommandResult result;
  FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), count);
  }
  const int raw = ::pclose(pipe);
  result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return result;
}

// Runs `koridor <arguments>` through the shell, with `input` on standard input.
inline CommandResult koridor(const std::string& arguments, const std::string& input = "") {
  return run("printf '%s' '" + input + "' | " + program_word("koridor") + " " + arguments);
}

// Runs a command at a terminal of its own, which `script` makes; what it printed there.
inline std::string at_terminal(const std::string& command, const std::string& input = "",
                               const std::string& environment = "") {
  return run("printf '%s' '" + input + "' | " + environment + " TERM=xterm script -qec " + shell_word(command) +
             " /dev/null")
      .output;
}

// Exit code 2 and one line that begins with the program's name and says `what`.
inline void expect_refused(const std::string& arguments, const std::string& what) {
  const CommandResult result = koridor(arguments);
  EXPECT_EQ(result.status, 2) << arguments << "\n" << result.output;
  EXPECT_THAT(result.output, testing::AllOf(testing::StartsWith("koridor: "), testing::HasSubstr(what))) << arguments;
  EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
}

using koridor::TemporaryFolder;

}  // namespace koridor::test
