// The files by which workers share out the games of a generation (leases.h): their names and what is in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "selfplay/generator/generation_shards.h"

namespace koridor {

// The games `first` to `last`, `last` among them.
struct GameRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t games() const { return last - first + 1; }
  std::string name() const;  // "000000-000015"
  friend auto operator<=>(const GameRange&, const GameRange&) = default;
};

// The same ranges for every worker: 256 of a generation, but of 16 to 256 games each.
std::vector<GameRange> ranges_of(int games);

// How a range stands.
struct LeaseState {
  bool done = false;
  int turn = -1;  // the highest; -1: there is none
  bool free = true;
};

// By the names of the files beside each other, how every range stands of which there is one, and "look".
std::map<std::string, LeaseState> states_of(const std::vector<std::string>& names);

// A list of shards as its file has it: "files", and for each the checksum of its bytes and the numbers of its games,
// empty where they are not known here.
nlohmann::json list_of(const std::string& worker, const std::vector<ListedShard>& shards);
// The shards that lie in folders of workers; others' names are left out. Throws UserError where it is no list.
std::vector<ListedShard> listed_shards(const nlohmann::json& list);

// The name in a lease, which is empty where a crash has left the file so; nothing where it cannot be read.
std::optional<std::string> holder_in(const std::filesystem::path& file);

// How a generation stands by its leases, for who only looks.
struct LeaseCount {
  std::uint64_t games_done = 0;
  std::map<std::string, int> held;  // ranges by worker, of those that do not count yet
};
LeaseCount count_leases(const std::filesystem::path& shards);

// Removes what the work on a complete generation has left, but for the lists: they keep a worker that comes back from
// counting again what counts. Nobody needs the rest, since all ranges count; what a worker still writes there would
// count for nothing. Errors do not matter.
void remove_remains(const std::filesystem::path& shards, const std::set<std::filesystem::path>& used = {});

}  // namespace koridor
