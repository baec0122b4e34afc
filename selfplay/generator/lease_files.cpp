#include "selfplay/generator/lease_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kFewestGames = 16;  // each range becomes a file, which takes a few milliseconds
constexpr std::uint32_t kMostGames = 256;
constexpr std::uint32_t kRanges = 256;

// "KEY.TURN.KIND"
struct TurnName {
  std::string key;
  int turn = 0;
  bool free = false;
};

std::optional<TurnName> turn_of(const std::string& name) {
  const std::size_t kind = name.rfind('.');
  const std::size_t turn = kind == std::string::npos || kind == 0 ? std::string::npos : name.rfind('.', kind - 1);
  if (turn == std::string::npos) return std::nullopt;
  const std::string word = name.substr(kind + 1);
  if (word != "lease" && word != "free") return std::nullopt;
  TurnName result{.key = name.substr(0, turn), .free = word == "free"};
  const auto [end, error] = std::from_chars(name.data() + turn + 1, name.data() + kind, result.turn);
  if (error != std::errc() || end != name.data() + kind) return std::nullopt;
  return result;
}

}  // namespace

std::string GameRange::name() const {
  return fmt::format("{:06}-{:06}", first, last);
}

std::vector<GameRange> ranges_of(int games) {
  const auto all = static_cast<std::uint32_t>(std::max(0, games));
  const std::uint32_t size = std::clamp(all / kRanges, kFewestGames, kMostGames);
  std::vector<GameRange> ranges;
  for (std::uint32_t first = 0; first < all; first += size) ranges.push_back({first, std::min(first + size, all) - 1});
  return ranges;
}

std::map<std::string, LeaseState> states_of(const std::vector<std::string>& names) {
  std::map<std::string, LeaseState> states;
  for (const std::string& name : names) {
    if (name.ends_with(".done")) {
      states[name.substr(0, name.size() - 5)].done = true;
    } else if (const std::optional<TurnName> turn = turn_of(name)) {
      LeaseState& state = states[turn->key];
      if (turn->turn < state.turn || (turn->turn == state.turn && !turn->free)) continue;
      state.turn = turn->turn;
      state.free = turn->free;
    }
  }
  return states;
}

nlohmann::json list_of(const std::string& worker, const std::vector<ListedShard>& shards) {
  nlohmann::json list = {{"worker", worker}, {"files", nlohmann::json::array()}};
  for (const ListedShard& shard : shards) {
    list["files"].push_back(shard.file);
    list["checksums"].push_back(shard.games.empty() ? "" : fmt::format("{:016x}", shard.checksum));
    list["games"].push_back(shard.games);
  }
  return list;
}

std::vector<ListedShard> listed_shards(const nlohmann::json& list) {
  using nlohmann::json;
  std::vector<ListedShard> shards;
  const json none = json::array();
  const json files = list.value("files", none);
  const json sums = list.value("checksums", none);
  const json games = list.value("games", none);
  if (!files.is_array()) throw UserError("a list's files are no list");
  // Not so in lists of older builds.
  const bool told = sums.is_array() && games.is_array() && sums.size() == files.size() && games.size() == files.size();
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].is_string()) continue;
    ListedShard shard(files[i].get<std::string>());
    if (!shard.file.starts_with("work/") || shard.file.find("..") != std::string::npos || !is_shard(shard.file))
      continue;
    if (told && sums[i].is_string() && games[i].is_array()) {
      const std::string sum = sums[i].get<std::string>();
      std::from_chars(sum.data(), sum.data() + sum.size(), shard.checksum, 16);
      for (const json& game : games[i]) {
        if (game.is_number_unsigned()) shard.games.push_back(game.get<std::uint32_t>());
      }
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

std::optional<std::string> holder_in(const fs::path& file) {
  try {
    std::string holder = read_file(file, 1000);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    return holder;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

LeaseCount count_leases(const fs::path& shards) {
  LeaseCount count;
  for (const auto& [key, state] : states_of(names_in(shards / "leases"))) {
    GameRange range;
    const std::size_t dash = key.find('-');
    if (dash == std::string::npos) continue;
    std::from_chars(key.data(), key.data() + dash, range.first);
    std::from_chars(key.data() + dash + 1, key.data() + key.size(), range.last);
    if (state.done) {
      count.games_done += range.games();
    } else if (!state.free) {
      const auto holder = holder_in(shards / "leases" / fmt::format("{}.{}.lease", key, state.turn));
      if (holder && !holder->empty()) ++count.held[*holder];
    }
  }
  return count;
}

void remove_remains(const fs::path& shards, const std::set<fs::path>& used) {
  std::error_code error;
  // Others may be removing their own folders at the same time, which ends a removal.
  const fs::path work = shards / "work";
  for (int tries = 0; tries < 10 && fs::exists(work, error); ++tries) fs::remove_all(work, error);
  for (const std::string& name : names_in(shards / "leases", error)) {
    const fs::path file = shards / "leases" / name;
    if (file.extension() != ".done" && !used.contains(file)) fs::remove(file, error);
  }
  remove_stale_temporaries(shards);
}

}  // namespace koridor
