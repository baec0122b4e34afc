#include "selfplay/generator/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/random.h"
#include "selfplay/generator/leased_games.h"
#include "selfplay/generator/shard_writer.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::uint32_t kRange = 16;  // games of a range
constexpr int kGames = 9 * kRange;

// Games of one generation, played once for all tests.
const MemorySink& games() {
  static const Generated generated = generate("quoridor:3x3,walls=1", small_options(), uniform_factory(), kGames);
  return generated.sink;
}

std::map<std::uint32_t, int> counted(const fs::path& folder) {
  std::map<std::uint32_t, int> times;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".h5") continue;
    for (const std::uint32_t number : read_shard(entry.path().string()).game_number) ++times[number];
  }
  return times;
}

class LeasesTest : public testing::Test {
 protected:
  // A worker whose heartbeat is a file of this test.
  struct Worker {
    std::unique_ptr<Leases> leases;
    std::string name;
    int files = 0;
  };

  LeaseSettings settings(const std::string& name, milliseconds dead_after = milliseconds(60000)) const {
    return {.shards = shards_,
            .workers = workers_,
            .worker = name,
            .games = kGames,
            .expected = {games().shards[0].info},
            .dead_after = dead_after};
  }
  Worker worker(const std::string& name, milliseconds dead_after = milliseconds(60000)) {
    beat(name, 1);
    return {std::make_unique<Leases>(settings(name, dead_after)), name};
  }
  // On a machine of another kernel, which nobody can ask.
  void beat(const std::string& name, int counter) {
    write_json(workers_ / (name + ".json"), {{"machine", "far away"}, {"pid", 1}, {"counter", counter}});
  }
  void die(const Worker& worker) { fs::remove(workers_ / (worker.name + ".json")); }

  // Writes games of a lease as a shard.
  ListedShard play(Worker& worker, const Lease& lease, std::span<const std::uint32_t> numbers) {
    ShardData data;
    data.info = games().shards[0].info;
    for (const std::uint32_t number : numbers) append_game(games().games.at(number), data);
    const std::string name = fmt_name(lease.range.first, worker);
    fs::create_directories(worker.leases->work_folder());
    const auto sum = write_shard_unlisted((worker.leases->work_folder() / name).string(), data);
    return {name, sum, data.game_number};
  }
  ListedShard play(Worker& worker, const Lease& lease) { return play(worker, lease, lease.missing); }

  void expect_every_game_once() {
    const auto times = counted(shards_);
    EXPECT_THAT(times, SizeIs(kGames));
    for (const auto& [number, count] : times) EXPECT_EQ(count, 1) << "game " << number;
  }

  TemporaryFolder folder_;
  fs::path shards_ = folder_.path() / "shards";
  fs::path workers_ = folder_.path() / "workers";
  std::vector<std::string> warnings_;

 private:
  static std::string fmt_name(std::uint32_t first, Worker& worker) {
    std::string number = std::to_string(first);
    number.insert(0, 6 - number.size(), '0');
    return "games-" + number + "-" + std::to_string(worker.files++) + "-" + worker.name + ".h5";
  }
};

TEST_F(LeasesTest, RangesHoldEveryGameOnce) {
  for (const int total : {0, 1, 15, 16, 17, 60, 512, 4097, 100000, 1000000}) {
    std::uint32_t next = 0;
    for (const GameRange& range : ranges_of(total)) {
      EXPECT_EQ(range.first, next);
      EXPECT_LE(range.games(), 256u);
      next = range.last + 1;
    }
    EXPECT_EQ(next, static_cast<std::uint32_t>(total));
  }
  EXPECT_THAT(ranges_of(512), SizeIs(512 / kRange));
}

TEST_F(LeasesTest, ARangeHasOneHolderAndIsTakenOverFromTheDead) {
  Worker a = worker("a");
  Worker b = worker("b", milliseconds(200));
  // As long as the counter changes, its worker lives.
  std::jthread heart([&](const std::stop_token& stop) {
    for (int counter = 2; !stop.stop_requested(); ++counter) {
      beat("a", counter);
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  const Lease first = *a.leases->take();
  EXPECT_EQ(first.turn, 0);
  EXPECT_THAT(first.missing, SizeIs(kRange));
  const ListedShard file = play(a, first, std::span(first.missing).first(3));
  for (std::optional<Lease> lease = b.leases->take(); lease; lease = b.leases->take()) {
    EXPECT_NE(lease->range, first.range);
    b.leases->finish(*lease, {play(b, *lease)});
  }
  EXPECT_FALSE(b.leases->nothing_left());
  EXPECT_FALSE(b.leases->take());
  heart.request_stop();
  heart.join();
  std::optional<Lease> taken;
  for (int i = 0; i < 1000 && !(taken = b.leases->take()); ++i) std::this_thread::sleep_for(milliseconds(10));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->range, first.range);
  EXPECT_EQ(taken->turn, 1);
  EXPECT_THAT(taken->missing, SizeIs(kRange - 3)) << "three of its games were in a shard";
  EXPECT_THAT(taken->found, ElementsAre("work/a/" + file.file));
  const ListedShard rest = play(b, *taken);

  // The zombie comes back and is as far as its successor; the first list counts.
  const ListedShard late = play(a, first, std::span(first.missing).subspan(3));
  EXPECT_TRUE(b.leases->finish(*taken, {rest}));
  EXPECT_FALSE(a.leases->finish(first, {file, late}));
  EXPECT_FALSE(fs::exists(shards_ / "work" / "a" / late.file)) << "its own file, which does not count";
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  EXPECT_TRUE(fs::exists(shards_ / "complete"));
  expect_every_game_once();
  EXPECT_FALSE(fs::exists(shards_ / "work"));
}

TEST_F(LeasesTest, TheZombiesListCountsWhereItComesFirst) {
  Worker a = worker("a");
  Worker b = worker("b");
  const Lease first = *a.leases->take();
  const ListedShard file = play(a, first, std::span(first.missing).first(3));
  die(a);
  std::optional<Lease> taken;
  while ((taken = b.leases->take()) && taken->turn == 0) b.leases->finish(*taken, {play(b, *taken)});
  ASSERT_TRUE(taken);
  const ListedShard rest = play(b, *taken);
  EXPECT_TRUE(a.leases->finish(first, {file, play(a, first, std::span(first.missing).subspan(3))}));
  EXPECT_FALSE(b.leases->finish(*taken, {rest}));
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

// A folder that has vanished with its whole run, as where a mount drops, is not made anew.
TEST_F(LeasesTest, NothingIsMadeOfARunThatHasVanished) {
  EXPECT_THAT([&] { Leases leases(settings("a")); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr(workers_.string())));
  EXPECT_FALSE(fs::exists(shards_));
}

// Games that were played for a run do not count in another one, begun in the same directory meanwhile.
TEST_F(LeasesTest, GamesOfARunThatWasBegunAnewDoNotCount) {
  Worker a = worker("a");
  const Lease lease = *a.leases->take();
  fs::remove_all(shards_);
  Worker b = worker("b");
  EXPECT_THROW(a.leases->finish(lease, {play(a, lease)}), ForeignShard);
  EXPECT_FALSE(fs::exists(shards_ / "leases" / (lease.range.name() + ".done")));
  // Nor does that worker begin games there, unless the other run is the same one once more.
  EXPECT_TRUE(a.leases->take());
  fs::remove_all(shards_);
  LeaseSettings other = settings("c");
  other.expected.front().config_hash = "another";
  const Leases c(other);
  EXPECT_THROW(a.leases->take(), ForeignShard);
}

TEST_F(LeasesTest, WhatIsGivenBackGoesOnWhereItStood) {
  {
    Worker a = worker("a");
    const Lease lease = *a.leases->take();
    play(a, lease, std::span(lease.missing).first(5));
    a.leases->finish(*a.leases->take(), {});  // says that it counts without a game: only the last look knows better
  }
  Worker b = worker("b");
  std::size_t found = 0;
  while (const std::optional<Lease> lease = b.leases->take()) {
    found += lease->found.size();
    b.leases->finish(*lease, {play(b, *lease)});
  }
  EXPECT_EQ(found, 1u);
  EXPECT_TRUE(b.leases->all_done());
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::missing);
  EXPECT_FALSE(fs::exists(shards_ / "complete"));
  const std::optional<Lease> again = b.leases->take();
  ASSERT_TRUE(again);
  EXPECT_THAT(again->missing, SizeIs(kRange));
  b.leases->finish(*again, {play(b, *again)});
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

TEST_F(LeasesTest, ATurnThatWasGivenBackIsOver) {
  Worker b = worker("b");
  b.leases->finish(*b.leases->take(), {});
  Worker a = worker("a");
  std::vector<Lease> all;
  while (const std::optional<Lease> lease = a.leases->take()) all.push_back(*lease);
  ASSERT_THAT(all, SizeIs(8));
  std::map<GameRange, std::string> files;
  for (const Lease& lease : all) {
    files[lease.range] = play(a, lease, std::span(lease.missing).first(5)).file;
    a.leases->give_back(lease);
  }
  // What b has seen is older than that.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::optional<Lease> lease = b.leases->take();
    ASSERT_TRUE(lease);
    EXPECT_EQ(lease->turn, 1);
    EXPECT_THAT(lease->missing, SizeIs(kRange - 5));
    EXPECT_THAT(lease->found, ElementsAre("work/a/" + files[lease->range]));
  }
  EXPECT_THAT(count_leases(shards_).held, ElementsAre(Pair("b", 8)));
  EXPECT_FALSE(a.leases->take()) << "b lives";
}

// Among many workers what one has seen is soon out of date: it looks again, and does not try each range.
TEST_F(LeasesTest, FewTriesShowThatOthersWereFaster) {
  Worker b = worker("b");
  b.leases->finish(*b.leases->take(), {});
  Worker a = worker("a");
  while (a.leases->take()) continue;
  const std::uint64_t before = b.leases->operations();
  EXPECT_FALSE(b.leases->take());
  EXPECT_LT(b.leases->operations() - before, 28u) << "three for each of four tries, and two listings";
}

TEST_F(LeasesTest, WhoSleepsWhileOthersPlayTakesNothingWhenItWakes) {
  Worker a = worker("a");
  const Lease held = *a.leases->take();
  die(a);
  Worker b = worker("b");
  while (const std::optional<Lease> lease = b.leases->take()) b.leases->finish(*lease, {play(b, *lease)});
  EXPECT_EQ(b.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  EXPECT_FALSE(a.leases->take());
  EXPECT_FALSE(a.leases->finish(held, {play(a, held)}));
  EXPECT_FALSE(a.leases->take());
  EXPECT_TRUE(a.leases->nothing_left());
  EXPECT_EQ(a.leases->games_counted(), std::uint64_t{kGames});
  // A network may be slow to say that the look is over.
  EXPECT_EQ(a.leases->look(shards_ / "complete", warnings_), Leases::Look::whole);
  expect_every_game_once();
}

TEST_F(LeasesTest, ARangeIsNeverLostToAnError) {
  write_file_atomically(shards_ / "leases" / "000016-000031.0.lease", "c\n");
  write_file_atomically(shards_ / "leases" / "000016-000031.0.free", "c\n");
  write_file_atomically(shards_ / "work" / "c", "no folder");
  Worker a = worker("a");
  std::size_t ranges = 0;
  const auto take_all = [&] {
    while (const std::optional<Lease> lease = a.leases->take()) {
      ++ranges;
      a.leases->finish(*lease, {play(a, *lease)});
    }
  };
  for (int i = 0; i < 3; ++i) EXPECT_THROW(take_all(), UserError);
  EXPECT_EQ(ranges, 8u);
  fs::remove(shards_ / "work" / "c");
  take_all();
  EXPECT_EQ(ranges, 9u);
  EXPECT_EQ(a.leases->games_counted(), std::uint64_t{kGames}) << "each once, also this worker's own";
}

// What cannot be looked at just now is no sign of another run, for which a worker would end.
TEST_F(LeasesTest, AnErrorDoesNotMakeAnotherRun) {
  Worker a = worker("a");
  const std::optional<Lease> lease = a.leases->take();
  ASSERT_TRUE(lease);
  const std::vector<ListedShard> shards = {play(a, *lease)};
  const auto while_unreadable = [&](const fs::path& file) {
    fs::rename(file, folder_.path() / "kept");
    fs::create_symlink(file.filename(), file);
    try {
      a.leases->finish(*lease, shards);
      ADD_FAILURE() << file << " was not needed";
    } catch (const ForeignShard& error) {
      ADD_FAILURE() << error.what();
    } catch (const UserError&) {
    }
    fs::rename(folder_.path() / "kept", file);
  };
  while_unreadable(shards_ / "leases" / (lease->range.name() + ".0.lease"));
  a.leases->finish(*lease, shards);
  EXPECT_EQ(a.leases->games_counted(), kRange);
}

TEST_F(LeasesTest, AnErrorDoesNotMakeAHolderDead) {
  // One cannot be read just now, of the other the sign of life cannot.
  fs::create_directories(shards_ / "leases" / "000000-000015.0.lease");
  write_file_atomically(shards_ / "leases" / "000016-000031.0.lease", "c\n");
  Worker a = worker("a");
  fs::create_symlink("c.json", workers_ / "c.json");
  std::size_t ranges = 0;
  while (const std::optional<Lease> lease = a.leases->take()) ++ranges;
  EXPECT_EQ(ranges, 7u);
  EXPECT_FALSE(a.leases->nothing_left());
}

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

// Nor does it keep what is played of others from being saved.
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

TEST_F(LeasesTest, TimeThatWasNotWatchedDoesNotCount) {
  beat("c", 1);
  Watch watch(milliseconds(200));
  EXPECT_EQ(watch.look(workers_ / "c.json"), Life::living);
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_EQ(watch.look(workers_ / "c.json"), Life::living);
  Life life = Life::living;
  for (int i = 0; i < 1000 && life == Life::living; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    life = watch.look(workers_ / "c.json");
  }
  EXPECT_EQ(life, Life::silent);
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

// Workers that take, play in parts, give back, die at any moment and come back after others have taken over, many at
// once.
TEST_F(LeasesTest, WhateverDiesEveryGameCountsOnce) {
  games();
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(shards_);
    fs::remove_all(workers_);
    struct Zombie {
      Worker worker;
      Lease lease;
      std::vector<ListedShard> files;
    };
    std::mutex mutex;
    std::vector<Zombie> zombies;
    std::vector<Worker> graveyard;
    const auto life = [&](int thread) {
      Random random(static_cast<std::uint64_t>(100 * round + thread));
      for (int birth = 0; !fs::exists(shards_ / "complete"); ++birth) {
        Worker self = worker("w" + std::to_string(thread) + "-" + std::to_string(birth));
        for (int step = 0; step < 30 && !fs::exists(shards_ / "complete"); ++step) {
          if (random.below(4) == 0) {
            std::optional<Zombie> zombie;
            {
              const std::lock_guard lock(mutex);
              if (!zombies.empty()) {
                zombie = std::move(zombies.back());
                zombies.pop_back();
              }
            }
            if (zombie) {
              try {
                const auto rest = std::span(zombie->lease.missing).subspan(zombie->files.empty() ? 0 : 1);
                if (!rest.empty()) zombie->files.push_back(play(zombie->worker, zombie->lease, rest));
                zombie->worker.leases->finish(zombie->lease, zombie->files);
              } catch (const UserError&) {
                // Its folder went when the generation was complete.
              }
              const std::lock_guard lock(mutex);
              graveyard.push_back(std::move(zombie->worker));
            }
          }
          const std::optional<Lease> lease = self.leases->take();
          if (!lease) {
            std::vector<std::string> warnings;
            if (self.leases->all_done()) self.leases->look(shards_ / "complete", warnings);
            EXPECT_THAT(warnings, IsEmpty());
            std::this_thread::yield();
            continue;
          }
          std::vector<ListedShard> files;
          std::span<const std::uint32_t> rest = lease->missing;
          if (!rest.empty() && random.below(2) == 0) {
            try {
              files.push_back(play(self, *lease, rest.first(1)));
            } catch (const UserError& error) {
              EXPECT_TRUE(fs::exists(shards_ / "complete")) << error.what();
              continue;
            }
            rest = rest.subspan(1);
          }
          if (random.below(5) == 0) {
            die(self);
            const std::lock_guard lock(mutex);
            zombies.push_back({std::move(self), *lease, files});
            break;
          }
          if (random.below(6) == 0) {
            self.leases->give_back(*lease);
            continue;
          }
          try {
            if (!rest.empty()) files.push_back(play(self, *lease, rest));
            self.leases->finish(*lease, files);
          } catch (const UserError& error) {
            // One from whom this range was taken over has finished it first, and the generation is complete.
            EXPECT_TRUE(fs::exists(shards_ / "complete")) << error.what();
          }
        }
        if (self.leases) {
          const std::lock_guard lock(mutex);
          graveyard.push_back(std::move(self));  // it lives on, but takes nothing any more
        }
      }
    };
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 6; ++thread) threads.emplace_back([&, thread] { life(thread); });
    threads.clear();
    expect_every_game_once();
  }
}

}  // namespace
}  // namespace koridor
