// koridor-trainer itself.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/shell.h"
#include "tests/eventually.h"
#include "tests/train/trainer_run.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

class TrainerProgramTest : public TrainerRuns {};

struct Ended {
  int status;
  std::string errors;
};

Ended run_program(const std::string& arguments, const fs::path& folder) {
  const fs::path errors = folder / "stderr";
  const int raw = std::system(
      fmt::format("{} {} > /dev/null 2> {}", shell_word(KORIDOR_TRAINER_PROGRAM), arguments, errors.string()).c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_file(errors)};
}

TEST_F(TrainerProgramTest, SaysWhatIsWrongInOneLine) {
  write_file_atomically(folder_ / "bad" / "config.toml", "[training]\nbatchsize = 3\n");
  for (const auto& [arguments, word] : std::vector<std::pair<std::string, std::string>>{
           {"--run " + (folder_ / "nothing").string(), "nothing: no run directory: there is no such folder"},
           {"--run " + (folder_ / "bad").string(), "bad/config.toml: damaged"},
           {"--bench --config " + (folder_ / "bad" / "config.toml").string(), "batchsize"},
           {"", "--run"},
           {"--shards x.h5", "--config"},
           {"--check", "--check needs --config as well"},
           {"--rnu x", "--rnu"}}) {
    const Ended ended = run_program(arguments, folder_.path());
    EXPECT_EQ(ended.status, 2) << arguments;
    EXPECT_EQ(ended.errors.rfind("koridor-trainer: ", 0), 0u) << ended.errors;
    EXPECT_NE(ended.errors.find(word), std::string::npos) << ended.errors;
    EXPECT_EQ(std::ranges::count(ended.errors, '\n'), 1) << ended.errors;
  }
}

TEST_F(TrainerProgramTest, IsStoppedByASignalAndKilledWithoutHarm) {
  const RunDirectory run = make_run("run", 1);
  const auto start = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string root = run.root().string();
      ::execl(KORIDOR_TRAINER_PROGRAM, KORIDOR_TRAINER_PROGRAM, "--run", root.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  };
  const auto wait_for = [](const fs::path& path) { EXPECT_TRUE(eventually([&] { return fs::exists(path); })); };
  pid_t child = start();
  wait_for(run.model(0));
  ::kill(child, SIGKILL);
  int raw = 0;
  ::waitpid(child, &raw, 0);
  child = start();
  wait_for(run.model(1));
  ::kill(child, SIGTERM);  // it waits for generation 1's games
  ::waitpid(child, &raw, 0);
  EXPECT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 0);
  add_games(run, 1);
  EXPECT_EQ(run_program("--run " + run.root().string(), folder_.path()).status, 0);
  EXPECT_TRUE(fs::exists(run.model(2)));
}

}  // namespace
}  // namespace koridor
