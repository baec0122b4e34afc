// A command that runs while a test goes on.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "tests/cli/command.h"
#include "train/run/run_directory.h"

namespace koridor::test {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// `koridor <arguments>` in a process group of its own, which ends with this object.
class Command {
 public:
  Command(const std::vector<std::string>& arguments, const fs::path& log) : log_(log) {
    std::vector<std::string> words = {test::program("koridor")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      ::dup2(out, STDOUT_FILENO);
      ::dup2(out, STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::setpgid(pid_, pid_);
  }
  ~Command() {
    ::kill(-pid_, SIGKILL);
    if (!status_) ::waitpid(pid_, nullptr, 0);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  pid_t pid() const { return pid_; }
  std::string output() const { return fs::exists(log_) ? read_file(log_) : ""; }

  // The exit status, 128 + signal where one ended it; nothing if it still ran after `limit`.
  std::optional<int> wait_for(milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!status_ && std::chrono::steady_clock::now() < end) {
      int raw = 0;
      if (::waitpid(pid_, &raw, WNOHANG) == pid_) status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
      std::this_thread::sleep_for(milliseconds(5));
    }
    return status_;
  }

  // The child whose command line has this word; 0 where there is none.
  pid_t child(const std::string& word) const {
    std::ifstream list("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
    for (pid_t pid = 0; list >> pid;) {
      std::ifstream line("/proc/" + std::to_string(pid) + "/cmdline");
      std::stringstream words;
      words << line.rdbuf();
      if (words.str().find(word + '\0') != std::string::npos) return pid;
    }
    return 0;
  }

 private:
  fs::path log_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

inline bool has_shards(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".h5") return true;
  }
  return false;
}

// In shards that are whole, and of the generation that the folder of a run is named after.
inline void expect_every_game_once(const fs::path& folder, std::size_t games) {
  std::multiset<std::uint32_t> numbers;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".h5") continue;
    const ShardData data = read_shard(entry.path().string());
    EXPECT_EQ(verify_shard(data), std::vector<std::string>{}) << entry.path();
    if (folder.parent_path().filename() == "shards") {
      EXPECT_EQ(RunDirectory::label(data.info.generation), folder.filename().string());
    }
    numbers.insert(data.game_number.begin(), data.game_number.end());
  }
  EXPECT_EQ(numbers.size(), games);
  EXPECT_EQ(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size(), games) << "a game was counted twice";
}

}  // namespace koridor::test
