// A run is killed, all its processes at once and without warning, at random moments, and started again by the same
// command: it must finish with every shard whole and each game counted once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "core/base/random.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// `koridor train` in a process group of its own, so that the whole run can be killed.
pid_t start_run(const fs::path& config, const fs::path& run, const fs::path& log) {
  const std::string program = test::program("koridor");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(program.c_str(), program.c_str(), "train", config.c_str(), "--run", run.c_str(), nullptr);
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  return pid;
}

// The exit status, or nothing if it still ran after `limit`.
std::optional<int> wait_for(pid_t pid, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    int raw = 0;
    if (::waitpid(pid, &raw, WNOHANG) == pid) return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  } while (std::chrono::steady_clock::now() < end);
  return std::nullopt;
}

void check_shards(const fs::path& run, int generations, std::size_t games) {
  for (int generation = 0; generation < generations; ++generation) {
    const fs::path folder = run / "shards" / ("gen-000" + std::to_string(generation));
    std::multiset<std::uint32_t> numbers;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".h5") continue;
      const ShardData data = read_shard(entry.path().string());
      EXPECT_EQ(verify_shard(data), std::vector<std::string>{}) << entry.path();
      EXPECT_EQ(data.info.generation, generation);
      numbers.insert(data.game_number.begin(), data.game_number.end());
    }
    EXPECT_EQ(numbers.size(), games);
    EXPECT_EQ(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size(), games) << "a game was counted twice";
  }
}

TEST(Kill, ARunKilledAtRandomMomentsFinishesWhole) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const fs::path run = folder / "run";
  Random random(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::optional<int> status;
  int kills = 0;
  for (; kills < 6 && !status; ++kills) {
    const pid_t pid = start_run(folder / "tiny.toml", run, folder / "log");
    status = wait_for(pid, std::chrono::milliseconds(200 + random.below(3500)));
    if (!status) {
      ::kill(-pid, SIGKILL);
      wait_for(pid, std::chrono::seconds(10));
    }
  }
  if (!status) status = wait_for(start_run(folder / "tiny.toml", run, folder / "log"), std::chrono::seconds(120));
  ASSERT_EQ(status, 0) << read_file(folder / "log");
  check_shards(run, 3, 60);
  EXPECT_TRUE(fs::exists(run / "models" / "gen-0003.koridor"));
  EXPECT_TRUE(fs::exists(run / "ratings" / "elo.json"));
}

TEST(Kill, CtrlCEndsARunCleanlyAndSaysHowToGoOn) {
  const test::TemporaryFolder folder;
  // So many games that no machine has played them before the signal comes.
  std::string config = test::kTinyConfig;
  const std::string games = "games = 60";
  config.replace(config.find(games), games.size(), "games = 2000000");
  write_file_atomically(folder / "tiny.toml", config);
  const fs::path shards = folder / "run" / "shards" / "gen-0000";
  const pid_t pid = start_run(folder / "tiny.toml", folder / "run", folder / "log");
  std::optional<int> status;
  for (int tries = 0; tries < 1200 && !status && (!fs::exists(shards) || fs::is_empty(shards)); ++tries) {
    status = wait_for(pid, std::chrono::milliseconds(50));
  }
  ASSERT_EQ(status, std::nullopt) << "the run ended by itself\n" << read_file(folder / "log");
  ::kill(-pid, SIGINT);  // as the terminal does: to every process of the group
  status = wait_for(pid, std::chrono::seconds(60));
  if (!status) ::kill(-pid, SIGKILL);
  ASSERT_EQ(status, 0) << read_file(folder / "log");
  EXPECT_NE(read_file(folder / "log").find("go on with:"), std::string::npos) << read_file(folder / "log");
}

}  // namespace
}  // namespace koridor
