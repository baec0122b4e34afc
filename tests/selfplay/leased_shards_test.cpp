// The shards of leased ranges, the lists that name them, and the last look through a generation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/generator/leased_games.h"
#include "selfplay/generator/leases.h"
#include "selfplay/generator/shard_writer.h"
#include "selfplay/shards/shard.h"
#include "tests/selfplay/leases_tools.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(LeasesTest, ShardsThatWereMovedAsideCountForNobody) {
  ShardData data;
  data.info = games().shards[0].info;
  for (std::uint32_t number = 0; number < kRange; ++number) append_game(games().games.at(number), data);
  const fs::path old = shards_ / "games-000000-000.h5";
  write_shard(old.string(), data);
  Worker a = worker("a");
  Worker b = worker("b");
  while (const std::optional<Lease> lease = a.leases->take()) {
    a.leases->finish(*lease, lease->missing.empty() ? std::vector<ListedShard>{} : std::vector{play(a, *lease)});
  }
  fs::resize_file(old, fs::file_size(old) / 2);
  EXPECT_EQ(a.leases->look(shards_ / "complete", warnings_), Leases::Look::missing);
  const std::optional<Lease> again = b.leases->take();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->range.first, 0u);
  EXPECT_THAT(again->missing, SizeIs(kRange));
  b.leases->finish(*again, {play(b, *again)});
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

TEST_F(LeasesTest, WhereTheListCannotBeReadNoFileIsRemoved) {
  Worker a = worker("a");
  const Lease lease = *a.leases->take();
  const ListedShard file = play(a, lease);
  const fs::path done = shards_ / "leases" / (lease.range.name() + ".done");
  fs::create_symlink(done, done);  // a loop
  EXPECT_THROW(a.leases->finish(lease, {file}), ReadError);
  fs::remove(done);
  for (const char* content : {"damaged", "[]", R"({"files": "work/a/x.h5"})"}) {
    write_file_atomically(done, content);
    EXPECT_FALSE(a.leases->finish(lease, {file})) << content;
  }
  EXPECT_TRUE(fs::exists(shards_ / "work" / "a" / file.file));
}

// Parts are only to save games: the range becomes one file, unless another worker's list counts that names a part.
TEST_F(LeasesTest, ARangeBecomesOneShard) {
  Worker a = worker("a");
  Worker b = worker("b");
  const auto write = [](ShardWriter& writer, const Lease& lease, std::size_t first, std::size_t number) {
    for (std::size_t i = first; i < first + number; ++i) {
      writer.keep(games().games.at(lease.missing.at(i)), lease.range.first);
      if (i % 2 == 1) writer.write_due();
    }
  };
  const auto writer_of = [&](Worker& self) {
    return ShardWriter({games().shards[0].info},
                       {.folder = self.leases->work_folder(), .writer = self.name, .seconds = 0});
  };
  ShardWriter parts = writer_of(a);
  const Lease lease = *a.leases->take();
  write(parts, lease, 0, kRange);
  EXPECT_THAT(parts.parts_of(lease.range.first), SizeIs(kRange / 2));
  EXPECT_EQ(counted(shards_ / "work" / "a").size(), kRange) << "they are in files before the range is whole";
  parts.close_group(lease.range.first);
  EXPECT_THAT(parts.files_of(lease.range.first), SizeIs(1));
  EXPECT_TRUE(a.leases->finish(lease, parts.files_of(lease.range.first), parts.parts_of(lease.range.first)));
  const auto list = read_json(shards_ / "leases" / (lease.range.name() + ".done"));
  EXPECT_EQ(list["games"][0].size(), kRange) << list;
  EXPECT_EQ(list["checksums"][0].get<std::string>().size(), 16u) << list;
  EXPECT_TRUE(fs::is_empty(shards_ / "work" / "a"));
  EXPECT_THAT(counted(shards_), SizeIs(kRange));

  // b takes over what a has in parts, and is first.
  const Lease slow = *a.leases->take();
  ShardWriter late = writer_of(a);
  write(late, slow, 0, 4);
  die(a);
  std::optional<Lease> taken;
  while ((taken = b.leases->take()) && taken->turn == 0) b.leases->finish(*taken, {play(b, *taken)});
  ASSERT_TRUE(taken);
  EXPECT_THAT(taken->found, SizeIs(2));
  write(late, slow, 4, kRange - 4);
  late.close_group(slow.range.first);
  EXPECT_TRUE(b.leases->finish(*taken, {play(b, *taken)}));
  EXPECT_FALSE(a.leases->finish(slow, late.files_of(slow.range.first), late.parts_of(slow.range.first)));
  EXPECT_TRUE(fs::is_empty(shards_ / "work" / "a"));
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

// A worker that slept after it had seen that games are missing must not open again what others have mended since.
TEST_F(LeasesTest, ALookThatIsOutOfDateChangesNothing) {
  Worker a = worker("a");
  while (const std::optional<Lease> lease = a.leases->take()) a.leases->finish(*lease, {play(a, *lease)});
  const fs::path damaged = shards_ / "games-999999-0.h5";
  // Whoever reads this shard waits until the test goes on.
  ASSERT_EQ(::mkfifo(damaged.c_str(), 0600), 0);
  fs::path lost;
  for (const auto& entry : fs::directory_iterator(shards_ / "work" / "a")) lost = entry.path();
  for (const auto& entry : fs::directory_iterator(shards_)) {
    if (entry.path().extension() == ".h5" && entry.path() != damaged) lost = entry.path();
  }
  const fs::path kept = folder_.path() / "kept";
  fs::rename(lost, kept);
  auto stale = std::async(std::launch::async, [&] {
    std::vector<std::string> warnings;
    return a.leases->look(shards_ / "complete", warnings);
  });
  std::ofstream pipe(damaged);  // the reader is there
  // Another one has taken the look over, and found all games.
  write_file_atomically(shards_ / "leases" / "look.1.lease", "b\n");
  fs::rename(kept, lost);
  write_file_atomically(shards_ / "complete", "");
  pipe << "no shard";
  pipe.close();
  EXPECT_EQ(stale.get(), Leases::Look::looking);
  EXPECT_TRUE(fs::exists(shards_ / "complete"));
  for (const auto& entry : fs::directory_iterator(shards_ / "leases")) EXPECT_NE(entry.path().extension(), ".void");
}

// What is played of the others is saved all the same.
TEST_F(LeasesTest, ARangeThatCannotBeFinishedKeepsNoOtherFromCounting) {
  Worker a = worker("a");
  Heartbeat heart(folder_.path() / "heart.json");
  Fault fault(heart, milliseconds(1), true);
  const std::vector infos{games().shards[0].info};
  LeasedGames leased(*a.leases, infos, {.shard_seconds = 1000, .in_flight = kGames, .most_ranges = 9}, fault, {});
  leased.begin();
  ASSERT_EQ(leased.ranges_held(), 9u);
  const fs::path done = shards_ / "leases" / "000000-000015.done";
  fs::create_symlink(done, done);  // a loop
  testing::internal::CaptureStderr();
  const std::uint32_t last = kGames - 1;
  for (std::uint32_t number = 0; number < last; ++number) leased.take(games().games.at(number));
  EXPECT_THROW(leased.finish(), ReadError);
  EXPECT_EQ(leased.ranges_held(), 2u) << "this one, and the last, which lacks a game";
  EXPECT_THAT(counted(shards_ / "work" / "a"), SizeIs(2 * kRange - 1));
  fs::remove(done);
  leased.take(games().games.at(last));
  leased.finish();
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(leased.ranges_held(), 0u);
  EXPECT_EQ(a.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  EXPECT_THAT(warnings_, IsEmpty());
  expect_every_game_once();
}

TEST_F(LeasesTest, AFilesNameNeverComesAgain) {
  ShardWriter writer({games().shards[0].info}, {.folder = shards_, .writer = "a", .seconds = 1000});
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    writer.keep(games().games.at(3), 0);
    writer.close_group(0);
    const std::string name = writer.files_of(0).at(0).file;
    EXPECT_TRUE(names.insert(name).second) << name;
    writer.forget_group(0);
    fs::remove(shards_ / name);  // moved beside the lists
  }
}

TEST_F(LeasesTest, ShardsOfOlderBuildsCount) {
  ShardData data;
  data.info = games().shards[0].info;
  for (std::uint32_t number = 5; number < 25; ++number) append_game(games().games.at(number), data);
  write_shard((shards_ / "games-000005-000.h5").string(), data);
  Worker a = worker("a");
  std::size_t played = 0;
  while (const std::optional<Lease> lease = a.leases->take()) {
    played += lease->missing.size();
    a.leases->finish(*lease, lease->missing.empty() ? std::vector<ListedShard>{} : std::vector{play(a, *lease)});
  }
  EXPECT_EQ(played, kGames - 20u);
  EXPECT_EQ(a.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

// What a list says of a file holds as long as the file's bytes are those that were written.
TEST_F(LeasesTest, AFileWithTheListsChecksumIsNotOpened) {
  std::string bytes(kShardUserBlock + 100, 'x');  // which HDF5 would refuse
  seal_shard(bytes);
  const fs::path path = shards_ / "a.h5";
  write_file_atomically(path, bytes);
  const std::vector expected{games().shards[0].info};
  const std::uint64_t sum = shard_checksum(path.string());
  const FolderContents whole = scan_shards(shards_, 3, expected, {{"work/w/a.h5", sum, {0, 2}}});
  EXPECT_THAT(whole.missing, ElementsAre(1));
  EXPECT_THAT(whole.warnings, IsEmpty());

  bytes.back() = 'y';
  write_file_atomically(path, bytes);
  EXPECT_THAT(scan_shards(shards_, 3, expected, {{"work/w/a.h5", sum, {0, 2}}}).warnings, SizeIs(1)) << "damaged";
  seal_shard(bytes);
  write_file_atomically(path, bytes);
  EXPECT_THAT(scan_shards(shards_, 3, expected, {{"work/w/a.h5", sum, {0, 2}}}).missing, SizeIs(3)) << "another file";
}

// A worker of an older build must not move aside what those of a newer one have written.
TEST_F(LeasesTest, AShardOfAnotherVersionStays) {
  const fs::path path = shards_ / "a.h5";
  write_shard(path.string(), games().shards[0]);
  std::string bytes = read_file(path);
  bytes[std::string("koridor shard ").size()] = '3';
  write_file_atomically(path, bytes);
  const std::vector expected{games().shards[0].info};
  EXPECT_THROW(scan_shards(shards_, 3, expected, {}), ReadError);
  EXPECT_EQ(read_file(path), bytes);
}

TEST_F(LeasesTest, OneLooksThroughAndIsReplacedIfItDies) {
  Worker a = worker("a");
  while (const std::optional<Lease> lease = a.leases->take()) a.leases->finish(*lease, {play(a, *lease)});
  write_file_atomically(shards_ / "leases" / "look.0.lease", "c\n");
  beat("c", 1);
  EXPECT_EQ(a.leases->look(shards_ / "complete", warnings_), Leases::Look::looking);
  fs::remove(workers_ / "c.json");
  Worker b = worker("b");
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
}

}  // namespace
}  // namespace koridor
