#include "train/run/run_shards.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/base/files.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "tests/temporary_folder.h"
#include "train/learner/random_shard.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

TEST(RunShards, AShardThatCannotBeReadIsTriedAgain) {
  const TemporaryFolder folder;
  const RunDirectory run{folder.path()};
  const std::filesystem::path path = run.shards(0) / "0.h5";
  const ShardData shard = random_shard(parse_game("quoridor:3x3,walls=1"), 10, 1);
  write_shard((folder.path() / "sound.h5").string(), shard);
  std::filesystem::create_directories(run.shards(0));
  write_file_atomically(run.shards(0) / "1.h5", "damaged");
  std::filesystem::create_symlink("0.h5", path);  // too many levels of links
  const std::jthread mends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::filesystem::rename(folder.path() / "sound.h5", path);
  });
  EXPECT_EQ(RunShards(run, 1).figures(0).at(0).games, 10u);
}

}  // namespace
}  // namespace koridor
