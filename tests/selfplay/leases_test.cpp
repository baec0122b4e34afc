// Ranges of games and who holds them.
#include "selfplay/generator/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "tests/error_of.h"
#include "tests/eventually.h"
#include "tests/selfplay/leases_tools.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

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
  ASSERT_TRUE(eventually([&] { return (taken = b.leases->take()).has_value(); }));
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
            const std::string error = error_of([&] { files.push_back(play(self, *lease, rest.first(1))); });
            if (error != "no error") {
              EXPECT_TRUE(fs::exists(shards_ / "complete")) << error;
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
          const std::string error = error_of([&] {
            if (!rest.empty()) files.push_back(play(self, *lease, rest));
            self.leases->finish(*lease, files);
          });
          // One from whom this range was taken over may have finished it first; then the generation is complete.
          EXPECT_TRUE(error == "no error" || fs::exists(shards_ / "complete")) << error;
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
