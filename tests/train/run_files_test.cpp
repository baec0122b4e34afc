// The files of a run: those that carry a checksum, those that are checked, left over or no longer needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/identity.h"
#include "core/base/json_file.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/games_check.h"
#include "train/run/open_run.h"
#include "train/run/output_file.h"
#include "train/run/rating.h"
#include "train/run/run_config.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SealedFiles, EveryChangedByteAndEveryCutIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file.json";
  const json object = {{"generation", 3}, {"name", "gen-0003"}, {"values", {1, 2, 3}}};
  write_json(path, object);
  const std::string whole = read_file(path);
  EXPECT_EQ(json::parse(whole)["name"], "gen-0003") << "other programs read it as it is";
  EXPECT_EQ(read_json(path), object);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write_file_atomically(path, changed);
    // Where the checksum's own name is changed, the rest is as it was.
    const std::string line = error_of([&] {
      json read = read_json(path);
      if (read.size() == object.size() + 1) read.erase(std::prev(read.end()));
      EXPECT_EQ(read.size(), object.size()) << at;
    });
    if (at + 40 < whole.size()) {
      EXPECT_THAT(line, HasSubstr("file.json: damaged")) << at;
    }
  }
  for (const std::size_t size : {std::size_t{0}, whole.size() / 2, whole.size() - 3}) {
    write_file_atomically(path, whole.substr(0, size));
    EXPECT_THAT(error_of([&] { read_json(path); }), HasSubstr("file.json: damaged")) << size;
  }
}

TEST(SealedFiles, WrongTypesAreNoInternalError) {
  const json object = {{"number", "seven"}, {"text", 7}, {"large", 1e300}, {"whole", 7}};
  EXPECT_EQ(member(object, "number", -1), -1);
  EXPECT_EQ(member(object, "text", std::string("none")), "none");
  EXPECT_EQ(member(object, "large", -1), -1);
  EXPECT_EQ(member(object, "whole", -1), 7);
  EXPECT_EQ(member(json::array(), "whole", -1), -1);
}

TEST(RunConfig, ACutOrChangedConfigurationDoesNotGoOnWithDefaults) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "run");
  const Config config = parse_config("[run]\nseed = 7\n[rating]\ngames = 12\n", "test");
  save_run_config(run, config);
  EXPECT_EQ(to_toml(load_run_config(run)), to_toml(config));
  const std::string whole = read_file(run.config());
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8) {
    write_file_atomically(run.config(), whole.substr(0, size));
    EXPECT_THAT(error_of([&] { load_run_config(run); }), HasSubstr("config.toml: damaged")) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    write_file_atomically(run.config(), changed);
    EXPECT_THAT(error_of([&] { load_run_config(run); }), HasSubstr("config.toml")) << at;
  }
  // A file of an older version has no checksum.
  write_file_atomically(run.config(), to_toml(config));
  EXPECT_EQ(to_toml(load_run_config(run)), to_toml(config));
  write_file_atomically(run.config(), to_toml(config).substr(0, 300));
  EXPECT_THAT(error_of([&] { load_run_config(run); }), HasSubstr("config.toml: damaged"));
}

ShardData shard_with(std::vector<std::uint32_t> numbers) {
  ShardData data;
  data.game_number = std::move(numbers);
  return data;
}

TEST(GamesCheck, SeesGamesThatAreThereTwiceAndThoseThatAreMissing) {
  const TemporaryFolder folder;
  const fs::path shards = folder.path() / "shards" / "gen-0000";
  GamesCheck good;
  good.add_folder(shards);
  good.add(shards / "a.h5", shard_with({0, 2}));
  good.add(shards / "b.h5", shard_with({1}));
  good.add(shards / "game-1" / "a.h5", shard_with({0, 1}));  // another board
  EXPECT_THAT(good.faults(), IsEmpty());
  GamesCheck twice = good;
  twice.add(shards / "c.h5", shard_with({2, 3}));
  EXPECT_THAT(twice.faults(),
              ElementsAre(AllOf(HasSubstr("1 game is there more than once"), HasSubstr("game 2, in a.h5 and c.h5"))));
  // A run says how many there should be.
  save_run_config(RunDirectory(folder.path()), parse_config("[selfplay]\ngames = 5\n", "test"));
  EXPECT_THAT(good.faults(), IsEmpty()) << "it is not complete";
  write_file_atomically(shards / "complete", "");
  EXPECT_THAT(good.faults(), ElementsAre(HasSubstr("2 of 5 games are missing")));
}

TEST(GamesCheck, LeavesOutOnlyGamesThatDoNotCountYet) {
  const TemporaryFolder folder;
  for (const char* name : {"gen-0000/a.h5", "gen-0000/work/w/b.h5", "my/work/c.h5"}) {
    write_file_atomically(folder.path() / name, "");
  }
  fs::create_directories(folder.path() / "gen-0000" / "leases");
  EXPECT_THAT(shards_below(folder.path()),
              ElementsAre(folder.path() / "gen-0000" / "a.h5", folder.path() / "my" / "work" / "c.h5"));
}

TEST(GamesCheck, FollowsLinksToFolders) {
  const TemporaryFolder folder;
  const fs::path here = folder.path() / "here", there = folder.path() / "there";
  for (const char* name : {"here/own/a.h5", "there/gen-0000/b.h5", "there/gen-0000/work/w/c.h5"}) {
    write_file_atomically(folder.path() / name, "");
  }
  fs::create_directories(there / "gen-0000" / "leases");
  fs::create_directory_symlink(there / "gen-0000", here / "link");
  fs::create_directory_symlink(there / "gen-0000", here / "link again");
  fs::create_directory_symlink(here / "own", here / "its own");
  fs::create_directory_symlink(here, there / "gen-0000" / "back");
  fs::create_directory_symlink(folder.path() / "nowhere", here / "broken");
  fs::create_directory_symlink(here / "loop", here / "loop");
  EXPECT_THAT(shards_below(here), ElementsAre(here / "link" / "b.h5", here / "own" / "a.h5"));
}

TEST(GamesCheck, NamesEachShardOnce) {
  const TemporaryFolder folder;
  const std::string a = (folder.path() / "a.h5").string();
  const std::string b = (folder.path() / "b.h5").string();
  for (const std::string& file : {a, b}) write_file_atomically(file, "");
  fs::create_symlink(a, folder.path() / "link.h5");
  EXPECT_THAT(named_shards({b, folder.path().string(), a, (folder.path() / "." / "b.h5").string(), "none.h5"}),
              ElementsAre(b, a, "none.h5"));
}

TEST(RunDirectory, SlotsOfJoinedWorkersAreFoundByBoard) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  EXPECT_THAT(run.all_joined_slots(0), IsEmpty());
  const fs::path a = run.joined_slots("a-1", "auto", 8, 0);
  const fs::path b = run.joined_slots("b", "cuda:0", 2, 0);
  const fs::path other_gpu = run.joined_slots("b", "cuda:1", 2, 0);
  const fs::path other_board = run.joined_slots("a-1", "auto", 8, 1);
  for (const fs::path& file :
       {run.slots(0), run.slots(1), a, b, other_gpu, other_board, run.joined_slots("a-1", "auto", 8, 10)}) {
    write_file_atomically(file, "{}");
  }
  EXPECT_EQ(b.filename(), "slots-b-cuda-0-2-0.json");
  EXPECT_THAT(run.all_joined_slots(0), ElementsAre(a, b, other_gpu));
  EXPECT_THAT(run.all_joined_slots(1), ElementsAre(other_board));
}

TEST(RunDirectory, WhatACompleteGenerationHasLeftGoes) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  const Config config = parse_config("", "test");
  save_run_config(run, config);
  const auto game = games_of(config)[0];
  for (int generation = 0; generation < 4; ++generation)
    save_model(run.model(generation).string(), *test::tiny_model(game));
  for (int generation : {1, 2}) {
    for (const char* name : {"work/w/a.h5", "leases/000000-000007.0.lease", "leases/000000-000007.done"}) {
      write_file_atomically(run.shards(generation) / name, "");
    }
  }
  write_file_atomically(run.complete(2), "");
  open_run(run, config);
  EXPECT_TRUE(fs::exists(run.shards(1) / "work" / "w" / "a.h5")) << "it is not complete";
  EXPECT_FALSE(fs::exists(run.shards(2) / "work"));
  EXPECT_FALSE(fs::exists(run.shards(2) / "leases" / "000000-000007.0.lease"));
  EXPECT_TRUE(fs::exists(run.shards(2) / "leases" / "000000-000007.done"));
}

TEST(RunDirectory, TemporaryFilesOfEndedProcessesGo) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const std::string stale = "." + std::to_string(ended) + ".tmp";
  const std::string living = "." + std::to_string(::getppid()) + ".tmp";
  std::vector<fs::path> gone;
  for (const fs::path& file : {run.config(), run.model(3), run.checkpoint(3), run.metrics(3), run.rating(3), run.elo(),
                               run.status("loop"), run.yardstick(3), run.events() / "generations" / "events.3"}) {
    gone.emplace_back(file.string() + stale);
    write_file_atomically(gone.back(), "half");
    write_file_atomically(file, "whole");
    write_file_atomically(file.string() + living, "half");
  }
  // Names of this build say the host; of another one's processes nothing is known here.
  gone.emplace_back(run.config().string() + "." + std::to_string(ended) + "-" + host_name() + ".tmp");
  write_file_atomically(gone.back(), "half");
  gone.emplace_back(run.config().string() + "." + std::to_string(ended) + "-" + host_name() + "-" + machine_name() +
                    ".tmp");
  write_file_atomically(gone.back(), "half");
  // A container may have the same name, and processes of its own.
  const fs::path container =
      run.config().string() + "." + std::to_string(ended) + "-" + host_name() + "-0123456789abcdef.tmp";
  write_file_atomically(container, "half");
  const fs::path elsewhere = run.config().string() + "." + std::to_string(ended) + "-elsewhere.tmp";
  write_file_atomically(elsewhere, "half");
  run.remove_stale_temporaries();
  EXPECT_TRUE(fs::exists(elsewhere));
  EXPECT_TRUE(fs::exists(container));
  for (const fs::path& file : gone) EXPECT_FALSE(fs::exists(file)) << file;
  EXPECT_TRUE(fs::exists(run.model(3)));
  EXPECT_TRUE(fs::exists(run.model(3).string() + living)) << "another process is writing it";
}

// Whether it is sound is not known, so that it stays where it is.
TEST(OpenedRun, WhatCannotBeReadIsNotDamaged) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "run");
  const Config config = parse_config("", "test");
  open_run(run, config);
  const char* const unreadable = "/proc/self/mem";  // of which whoever reads gets an error
  for (const fs::path& file : {run.model(0), run.status("loop")}) {
    fs::create_directories(file.parent_path());
    fs::create_symlink(unreadable, file);
    EXPECT_THROW(open_run(run, config), ReadError) << file;
    EXPECT_TRUE(fs::exists(file));
    EXPECT_FALSE(fs::exists(file.string() + ".damaged"));
    fs::remove(file);
  }
  write_file_atomically(run.model(0), "a model");
  fs::create_directories(run.rating(0).parent_path());
  fs::create_symlink(unreadable, run.rating(0));
  EXPECT_THROW(Ratings(run, config).due(0), ReadError);
}

// Of trainers, too: fewer of them, or on other machines, write other files.
TEST(RunDirectory, SignsOfProcessesThatEndedGo) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "run");
  for (const fs::path& sign : {run.workers() / "worker.json", run.trainer(1)}) {
    write_json(sign, {{"state", "ended"}});
    const fs::path other = sign.parent_path() / "living.json";
    write_json(other, {{"state", "running"}, {"host", "elsewhere"}, {"machine", "0123456789abcdef"}, {"pid", 7}});
    run.remove_stale_temporaries();
    EXPECT_FALSE(fs::exists(sign)) << sign;
    EXPECT_TRUE(fs::exists(other)) << other;
  }
  fs::remove_all(run.trainers());
  fs::create_symlink(run.trainers().filename(), run.trainers());
  EXPECT_THAT(error_of([&] { run.remove_stale_temporaries(); }), testing::HasSubstr(run.trainers().string()))
      << "whose links never end";
}

// What a command writes takes the place of nothing that a run needs.
TEST(OutputFile, IsNoneOfARun) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "run");
  for (const char* file : {"config.toml", "figures.jsonl", "models/gen-0004.koridor", "models/gen-0004.int8.koridor",
                           "shards/gen-0000/games.h5", "ratings/gen-0000.json", "rating.svg", "notes.txt"}) {
    write_file_atomically(run.root() / file, "x");
  }
  fs::create_directory_symlink(run.root(), folder.path() / "link");
  for (const char* file : {"config.toml", "figures.jsonl", "models/gen-0004.koridor", "shards/gen-0000/games.h5",
                           "ratings/gen-0000.json", "../link/config.toml", "models/../config.toml"}) {
    EXPECT_THAT(error_of([&] { check_output("--out", run.root() / file); }), HasSubstr("this is a file of the run "))
        << file;
    EXPECT_EQ(read_file(run.root() / file), "x") << file;
  }
  for (const char* file : {"rating.svg", "notes.txt", "models/gen-0004.int8.koridor", "new.koridor", "../outside"}) {
    EXPECT_NO_THROW(check_output("--out", run.root() / file)) << file;
  }
}

TEST(StartCheck, WhatCannotWorkIsSaidAtOnce) {
  const TemporaryFolder folder;
  const std::atomic<bool> never{false};
  const auto said = [&](const std::string& setting, const std::string& run = "run", const std::string& other = "") {
    std::vector<std::string> settings{setting};
    if (!other.empty()) settings.push_back(other);
    return error_of([&] {
      check_start(RunDirectory(folder.path() / run), parse_config("", "test", settings), folder.path(), never);
    });
  };
  EXPECT_THAT(said("selfplay.backend=eigen", "run", "selfplay.device=cuda"),
              AllOf(HasSubstr("selfplay: "), HasSubstr("computes on the CPU")));
  EXPECT_THAT(said("rating.baselines=[\"gredy\"]"), AllOf(HasSubstr("rating.baselines"), HasSubstr("greedy")));
  EXPECT_THAT(said("rating.baselines=[\"random\", \"random\"]"),
              HasSubstr("rating.baselines: \"random\" is there twice"));
  EXPECT_THAT(said("training.device=gpu"), AllOf(HasSubstr("training.device"), HasSubstr("cuda")));
  EXPECT_THAT(said("training.learning_rate=1e-5"), HasSubstr("koridor-trainer"));  // the last rate follows the first
  EXPECT_THAT(said("training.final_learning_rate=1"),
              HasSubstr("training.final_learning_rate (1) is above training.learning_rate (0.012)"));
  EXPECT_THAT(said("run.seed=1", std::string(300, 'x')), HasSubstr("File name too long"));
  EXPECT_THAT(said("run.seed=1"), HasSubstr("koridor-trainer"));  // it is not in that folder
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_THAT(said("training.start_from=\"none/x.koridor\""), HasSubstr("training.start_from: cannot read none/x"));
  const std::string start = test::write_tiny_model(folder.path() / "start.koridor", 1);
  const std::string setting = "training.start_from=\"" + start + "\"";
  EXPECT_THAT(said(setting, "run", "run.game=go:9x9"),
              AllOf(HasSubstr("training.start_from: "), HasSubstr("of the family \"wall\", this game")));
  EXPECT_THAT(said(setting, "run", "run.game=quoridor:3x3"),
              AllOf(HasSubstr("network.pool_every is 1 there and 2 here"), Not(HasSubstr("network.blocks"))));
  EXPECT_FALSE(fs::exists(folder.path() / "run"));
}

}  // namespace
}  // namespace koridor
