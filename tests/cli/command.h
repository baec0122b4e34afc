// Runs the built executables as a user would.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/base/files.h"

namespace koridor::test {

struct CommandResult {
  int status = -1;     // exit code, 128 + signal where one ended it
  std::string output;  // standard output and error together
};

// KORIDOR_PROGRAMS is the build folder, set by CMake.
inline std::string program(const std::string& name) {
  return std::string(KORIDOR_PROGRAMS) + "/" + name;
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
  return run("printf '%s' '" + input + "' | " + program("koridor") + " " + arguments);
}

// A folder of its own that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "koridor-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace koridor::test
