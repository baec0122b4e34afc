// A run is killed, all its processes at once and without warning, at random moments, and started again by the same
// command: it must finish with every shard whole and each game counted once.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/random.h"
#include "tests/cli/background_command.h"
#include "tests/cli/tiny_run.h"
#include "tests/eventually.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using test::Command;

// Shards and models below the folder.
int written(const fs::path& run) {
  int files = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(run, error), end; entry != end; entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    if (extension == ".h5" || extension == ".koridor") ++files;
  }
  return files;
}

TEST(Kill, ARunKilledAtRandomMomentsFinishesWhole) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const fs::path run = folder / "run";
  const auto seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::vector<std::string> train = {"train", folder / "tiny.toml", "--run", run};
  std::optional<int> status;
  for (int kills = 0; kills < 6 && !status; ++kills) {
    Command command(train, folder / "log");  // its end kills the whole group at once
    const bool first = kills == 0;
    if (first) {
      // However slow the machine is, this kill meets processes that have written something, and not the whole run.
      ASSERT_TRUE(eventually([&] { return written(run) > 0; })) << command.output();
    }
    status = command.wait_for(std::chrono::milliseconds(first ? random.below(300) : 200 + random.below(3500)));
    if (first) {
      ASSERT_FALSE(status) << command.output();
    }
  }
  if (!status) status = Command(train, folder / "log").wait_for(std::chrono::seconds(120));
  ASSERT_EQ(status, 0) << read_file(folder / "log");
  for (int generation = 0; generation < 3; ++generation) {
    test::expect_every_game_once(run / "shards" / ("gen-000" + std::to_string(generation)), 60);
  }
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
  Command loop({"train", folder / "tiny.toml", "--run", folder / "run"}, folder / "log");
  ASSERT_TRUE(eventually([&] { return test::has_shards(folder / "run" / "shards" / "gen-0000"); })) << loop.output();
  ::kill(-loop.pid(), SIGINT);  // as the terminal does: to every process of the group
  EXPECT_EQ(loop.wait_for(std::chrono::seconds(60)), 0) << loop.output();
  EXPECT_NE(loop.output().find("go on with:"), std::string::npos) << loop.output();
}

}  // namespace
}  // namespace koridor
