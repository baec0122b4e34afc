// A run whose processes die, hang or are started twice, and whose files are damaged.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/background_command.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"
#include "tests/eventually.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Command;
using test::expect_every_game_once;
using test::has_shards;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool alive(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(status, line);
  return !line.empty() && line.find(") Z ") == std::string::npos;
}

// Whether no signal of this number still waits to be given to the process.
bool has_taken(pid_t pid, int number) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("ShdPnd:")) return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) == 0;
  }
  return false;
}

class Trust : public testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder_ / "tiny.toml", test::kTinyConfig); }

  std::vector<std::string> train(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"train", folder_ / "tiny.toml", "--run", run()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  fs::path run() const { return folder_ / "run"; }
  fs::path log() const { return folder_ / "log"; }

  // A run whose generation 0 is played for minutes.
  static std::vector<std::string> long_games() {
    return {"--set", "selfplay.games=20000", "--set", "selfplay.visits=200"};
  }

  test::TemporaryFolder folder_;
};

TEST_F(Trust, TwoWorkersOfOneFolderPlayEveryGameOnce) {
  const std::vector<std::string> words = {
      "selfplay", folder_ / "tiny.toml",      "--out",     folder_ / "games",
      "--set",    "selfplay.backend=uniform", "--set",     "selfplay.games=4000",
      "--set",    "selfplay.visits=100",      "--set",     "selfplay.shard_seconds=100",
      "--set",    "selfplay.slots=8",         "--threads", "1"};
  Command one(words, folder_ / "one");
  Command two(words, folder_ / "two");
  ASSERT_EQ(one.wait_for(seconds(100)), 0) << one.output();
  ASSERT_EQ(two.wait_for(seconds(100)), 0) << two.output();
  expect_every_game_once(folder_ / "games", 4000);
}

// The orphaned worker needs long for its last batch and then writes a shard, when the next worker has long begun.
TEST_F(Trust, TheLoopKilledAloneAndStartedAtOnceCountsEveryGameOnce) {
  const std::vector<std::string> slow =
      train({"--set", "network.blocks=10", "--set", "network.channels=96", "--set", "selfplay.slots=32", "--set",
             "run.threads=1", "--set", "run.generations=1", "--set", "training.samples_per_position=0.02", "--set",
             "rating.baselines=[\"random\"]", "--set", "rating.visits=1"});
  Command loop(slow, log());
  ASSERT_TRUE(eventually([&] { return has_shards(run() / "shards" / "gen-0000"); })) << loop.output();
  ::kill(loop.pid(), SIGKILL);
  loop.wait_for(seconds(10));
  Command last(slow, log());
  ASSERT_EQ(last.wait_for(seconds(120)), 0) << last.output();
  expect_every_game_once(run() / "shards" / "gen-0000", 60);
}

TEST_F(Trust, ARefusedSecondProcessChangesNothing) {
  Command first(train(long_games()), log());
  ASSERT_TRUE(eventually([&] { return first.child("selfplay") != 0; })) << first.output();
  const std::string before = read_file(run() / "config.toml");
  std::vector<std::string> other = train(long_games());
  other.insert(other.end(), {"--set", "run.generations=77"});
  Command second(other, folder_ / "second");
  EXPECT_EQ(second.wait_for(seconds(30)), 2);
  EXPECT_THAT(second.output(), HasSubstr("in use by another: process " + std::to_string(first.pid())));
  EXPECT_EQ(read_file(run() / "config.toml"), before);
  // What the children of the first were started with is not in the directory at all.
  EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(first.child("selfplay")) + "/fd/0").string().rfind("/memfd:", 0),
            0u);
}

TEST_F(Trust, ASecondCtrlCEndsAtOnceThoughChildrenHang) {
  Command loop(train(long_games()), log());
  ASSERT_TRUE(eventually([&] { return loop.child("selfplay") != 0; })) << loop.output();
  const std::vector<pid_t> children = {loop.child("selfplay"), loop.child("--config")};
  for (const pid_t child : children) {
    ASSERT_GT(child, 0);
    ::kill(child, SIGSTOP);
  }
  ::kill(loop.pid(), SIGINT);
  ASSERT_TRUE(eventually([&] { return has_taken(loop.pid(), SIGINT); }));
  EXPECT_FALSE(loop.wait_for(milliseconds(400)));  // one that follows sooner counts as the same
  ::kill(loop.pid(), SIGINT);
  EXPECT_EQ(loop.wait_for(seconds(5)), 130) << loop.output();
  for (const pid_t child : children) EXPECT_TRUE(eventually([&] { return !alive(child); }));
}

TEST_F(Trust, TheTrainersDeathIsNoticedInSelfPlay) {
  Command loop(train(long_games()), log());
  ASSERT_TRUE(eventually([&] { return has_shards(run() / "shards" / "gen-0000"); })) << loop.output();
  const pid_t trainer = loop.child("--config");
  ASSERT_GT(trainer, 0) << loop.output();
  ::kill(trainer, SIGKILL);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(loop.wait_for(seconds(20)), 2) << loop.output();
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));  // of a loaded machine
  EXPECT_THAT(loop.output(), HasSubstr("the trainer was killed by signal 9"));
}

TEST_F(Trust, HangingUpEndsARunAsCtrlCDoes) {
  fs::create_directories(folder_ / "with space");
  const fs::path run = folder_ / "with space" / "it's";
  Command loop({"train", folder_ / "tiny.toml", "--run", run, "--set", "selfplay.games=20000"}, log());
  ASSERT_TRUE(eventually([&] { return loop.child("selfplay") != 0; })) << loop.output();
  ::kill(loop.pid(), SIGHUP);
  EXPECT_EQ(loop.wait_for(seconds(60)), 0) << loop.output();
  EXPECT_THAT(loop.output(), AllOf(HasSubstr("go on with:"), HasSubstr("it'\\''s'")));
  EXPECT_THAT(read_file(run / "logs" / "train.log"), HasSubstr("go on with:"));
}

TEST_F(Trust, TooLittleAddressSpaceIsALine) {
  const test::CommandResult limited =
      test::run("ulimit -v 800000; exec " + test::program_word("koridor-trainer") + " --help");
  EXPECT_EQ(limited.status, 2);
  EXPECT_THAT(limited.output, AllOf(HasSubstr("address space"), HasSubstr("ulimit -v unlimited")));
}

TEST_F(Trust, WhatCannotWorkIsRefusedBeforeAnythingIsWritten) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& what) {
    Command command(train(more), folder_ / "refused");
    EXPECT_EQ(command.wait_for(seconds(60)), 2) << command.output();
    EXPECT_THAT(command.output(), HasSubstr(what));
    EXPECT_FALSE(fs::exists(run()));
    fs::remove(folder_ / "refused");
  };
  refused({"--set", "rating.baselines=[\"/nowhere.koridor\"]"}, "rating.baselines: ");
  refused({"--set", "training.start_from=/nowhere.koridor"},
          "koridor: training.start_from: cannot read /nowhere.koridor");
  refused({"--set", "training.device=cuda:99"}, "cuda:99");
  Command long_name({"train", folder_ / "tiny.toml", "--run", folder_ / std::string(300, 'r')}, log());
  EXPECT_EQ(long_name.wait_for(seconds(20)), 2);
  EXPECT_THAT(long_name.output(), AllOf(HasSubstr("File name too long"), Not(HasSubstr("internal"))));
}

// One finished run, whose files are damaged one after the other.
TEST_F(Trust, DamagedFilesAreMadeAnewOrRefusedByName) {
  Command whole(train({"--set", "run.generations=1"}), log());
  ASSERT_EQ(whole.wait_for(seconds(120)), 0) << whole.output();
  const auto rate = [&] { return test::koridor("rate " + run().string()); };
  const test::CommandResult table = rate();
  ASSERT_EQ(table.status, 0) << table.output;

  const fs::path rating = run() / "ratings" / "gen-0001.json";
  std::string text = read_file(rating);
  text[text.find("\"wins\"") + 8] ^= 1;
  write_file_atomically(rating, text);
  const test::CommandResult again = rate();
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(again.output, AllOf(HasSubstr("gen-0001.json: damaged"), HasSubstr(table.output)));

  const fs::path config = run() / "config.toml";
  const std::string frozen = read_file(config);
  write_file_atomically(config, frozen.substr(0, frozen.size() / 2));
  EXPECT_EQ(rate().status, 2);
  EXPECT_THAT(rate().output, HasSubstr("config.toml: damaged"));
  Command foreign(train({"--set", "run.generations=1", "--set", "run.seed=9"}), folder_ / "foreign");
  EXPECT_EQ(foreign.wait_for(seconds(60)), 2) << foreign.output();
  EXPECT_THAT(foreign.output(), HasSubstr("config.toml: damaged"));

  // The same command makes everything whole that can be.
  const fs::path model = run() / "models" / "gen-0001.koridor";
  const std::string weights = read_file(model);
  write_file_atomically(model, weights.substr(0, weights.size() - 100));
  write_file_atomically(run() / "ratings" / "elo.json", "[");
  write_file_atomically(run() / "status" / "loop.json", R"({"seconds": "long"})");
  write_file_atomically(run() / "status" / "selfplay.json", R"({"generation": [], "games": "x"})");
  write_file_atomically(run() / "status" / "trainer.json", R"({"generation": 1, "heads": 7, "step": {}})");
  write_file_atomically(run() / "models" / "gen-0007.koridor.99999999.tmp", "half a model");
  Command mended(train({"--set", "run.generations=1"}), folder_ / "mended");
  ASSERT_EQ(mended.wait_for(seconds(120)), 0) << mended.output();
  EXPECT_THAT(mended.output(), AllOf(HasSubstr("config.toml: damaged"), HasSubstr("written anew"),
                                     HasSubstr("gen-0001.koridor"), HasSubstr("loop.json: damaged")));
  EXPECT_EQ(read_file(config), frozen);
  EXPECT_EQ(read_file(model), weights);
  EXPECT_FALSE(fs::exists(run() / "models" / "gen-0007.koridor.99999999.tmp"));
  EXPECT_EQ(rate().output, table.output);

  const fs::path shards = run() / "shards" / "gen-0000";
  EXPECT_EQ(test::koridor("inspect --verify " + shards.string()).status, 0);
  for (const auto& entry : fs::directory_iterator(shards)) {
    if (entry.path().extension() != ".h5") continue;
    fs::copy_file(entry.path(), shards / "again.h5");
    break;
  }
  const test::CommandResult twice = test::koridor("inspect --verify " + (run() / "shards").string());
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.output, HasSubstr("games are there more than once"));
}

}  // namespace
}  // namespace koridor
