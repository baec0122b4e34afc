// What tests of the leases share: workers whose heartbeats are files of the test, and their shards.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/json_file.h"
#include "selfplay/generator/leases.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {

// How often each game stands in the shards of a folder.
inline std::map<std::uint32_t, int> counted(const std::filesystem::path& folder) {
  std::map<std::uint32_t, int> times;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".h5") continue;
    for (const std::uint32_t number : read_shard(entry.path().string()).game_number) ++times[number];
  }
  return times;
}

class LeasesTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kRange = 16;  // games of a range
  static constexpr int kGames = 9 * kRange;

  // Games of one generation, played once for all tests.
  static const MemorySink& games() {
    static const Generated generated = generate("quoridor:3x3,walls=1", small_options(), uniform_factory(), kGames);
    return generated.sink;
  }

  // A worker whose heartbeat is a file of this test.
  struct Worker {
    std::unique_ptr<Leases> leases;
    std::string name;
    int files = 0;
  };

  LeaseSettings settings(const std::string& name,
                         std::chrono::milliseconds dead_after = std::chrono::milliseconds(60000)) const {
    return {.shards = shards_,
            .workers = workers_,
            .worker = name,
            .games = kGames,
            .expected = {games().shards[0].info},
            .dead_after = dead_after};
  }
  Worker worker(const std::string& name, std::chrono::milliseconds dead_after = std::chrono::milliseconds(60000)) {
    beat(name, 1);
    return {std::make_unique<Leases>(settings(name, dead_after)), name};
  }
  // On a machine of another kernel, which nobody can ask.
  void beat(const std::string& name, int counter) {
    write_json(workers_ / (name + ".json"), {{"machine", "far away"}, {"pid", 1}, {"counter", counter}});
  }
  void die(const Worker& worker) { std::filesystem::remove(workers_ / (worker.name + ".json")); }

  // Writes games of a lease as a shard.
  ListedShard play(Worker& worker, const Lease& lease, std::span<const std::uint32_t> numbers) {
    ShardData data;
    data.info = games().shards[0].info;
    for (const std::uint32_t number : numbers) append_game(games().games.at(number), data);
    const std::string name = fmt_name(lease.range.first, worker);
    std::filesystem::create_directories(worker.leases->work_folder());
    const auto sum = write_shard_unlisted((worker.leases->work_folder() / name).string(), data);
    return {name, sum, data.game_number};
  }
  ListedShard play(Worker& worker, const Lease& lease) { return play(worker, lease, lease.missing); }

  void expect_every_game_once() {
    const auto times = counted(shards_);
    EXPECT_EQ(times.size(), std::size_t{kGames});
    for (const auto& [number, count] : times) EXPECT_EQ(count, 1) << "game " << number;
  }

  TemporaryFolder folder_;
  std::filesystem::path shards_ = folder_.path() / "shards";
  std::filesystem::path workers_ = folder_.path() / "workers";
  std::vector<std::string> warnings_;

 private:
  static std::string fmt_name(std::uint32_t first, Worker& worker) {
    std::string number = std::to_string(first);
    number.insert(0, 6 - number.size(), '0');
    return "games-" + number + "-" + std::to_string(worker.files++) + "-" + worker.name + ".h5";
  }
};

}  // namespace koridor
