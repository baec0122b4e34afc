#include "selfplay/shards/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/game_end.h"
#include "selfplay/shards/hdf5.h"

namespace koridor {
namespace {

constexpr std::string_view kMagic = "koridor shard ";
constexpr std::string_view kChecksum = " checksum ";
constexpr std::string_view kFormat = "koridor-shard";
constexpr std::size_t kUserBlock = kShardUserBlock;
constexpr int kMaxStateBytes = 4096;

// Datasets that files of version 1 lack.
constexpr std::array<std::string_view, 3> kSinceVersion2 = {"/ply/depth", "/ply/largest_depth", "/ply/surprise"};
// Datasets that other files may lack: readers of version 2 pass over what they do not know.
constexpr std::array<std::string_view, 3> kOptional = {"/game/simulations", "/game/evaluations", "/game/model"};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw UserError(where + ": " + what);
}

std::uint64_t checksum(std::string_view bytes) {
  return Checksum(mix64(bytes.size())).add(bytes).value();
}

// The user block of a file of `size` bytes: two lines of text, filled up with zeros.
std::array<char, kUserBlock> user_block(long long version, std::size_t size, std::uint64_t hash) {
  std::array<char, kUserBlock> block{};
  const std::string text = fmt::format("{}{}\nbytes {}{}{:016x}\n", kMagic, version, size, kChecksum, hash);
  std::copy(text.begin(), text.end(), block.begin());
  return block;
}

// The number that follows `label` in the user block; -1 where there is none.
long long number_after(std::string_view block, std::string_view label) {
  const std::size_t at = block.find(label);
  if (at == std::string_view::npos) return -1;
  long long value = -1;
  const std::string_view rest = block.substr(at + label.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value;
}

// The checksum that the user block says; 0 where it says none.
std::uint64_t checksum_in(std::string_view block) {
  const std::size_t at = block.find(kChecksum);
  std::uint64_t value = 0;
  if (at == std::string_view::npos) return value;
  const std::string_view rest = block.substr(at + kChecksum.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  return value;
}

// Reads a shard's bytes and checks length and checksum, so that they are what write_shard wrote.
std::string read_checked(const std::string& path) {
  std::string bytes = read_file(path);
  const std::string_view block = std::string_view(bytes).substr(0, kUserBlock);
  if (!block.starts_with(kMagic.substr(0, block.size())) || bytes.empty()) fail(path, "not a Koridor shard");
  if (block.size() < kUserBlock) fail(path, fmt::format("truncated shard: only {} bytes", bytes.size()));
  const long long version = number_after(block, kMagic);
  if (version > kShardVersion || (version > 0 && version < kOldestShardVersion)) {
    throw ReadError(fmt::format("{}: shard of format version {}; this koridor reads versions {} to {}", path, version,
                                kOldestShardVersion, kShardVersion));
  }
  const long long size = number_after(block, "bytes ");
  if (size > static_cast<long long>(bytes.size())) {
    fail(path, fmt::format("truncated shard: {} of {} bytes", bytes.size(), size));
  }
  const std::array<char, kUserBlock> expected =
      user_block(version, bytes.size(), checksum(std::string_view(bytes).substr(kUserBlock)));
  if (block != std::string_view(expected.data(), expected.size())) fail(path, "damaged shard: the checksum is wrong");
  return bytes;
}

ShardInfo read_info(const hdf5::Reader& file, const std::string& path) {
  if (!file.has_attribute("format") || file.string_attribute("format") != kFormat) fail(path, "not a Koridor shard");
  const std::int64_t notation = file.integer_attribute("notation_version");
  if (notation != kNotationVersion) {
    fail(path, fmt::format("notation version {}; this koridor reads version {}", notation, kNotationVersion));
  }
  const auto whole = [&](const char* name, std::int64_t low, std::int64_t high) {
    const std::int64_t value = file.integer_attribute(name);
    if (value < low || value > high) {
      fail(path, fmt::format("{} is {}; it must be from {} to {}", name, value, low, high));
    }
    return static_cast<int>(value);
  };
  ShardInfo info;
  info.game = file.string_attribute("game");
  info.rules = file.string_attributes("rule.");
  info.generation = whole("generation", 0, std::numeric_limits<int>::max());
  info.config_hash = file.string_attribute("config_hash");
  info.seed = file.unsigned_attribute("seed");
  info.action_order = file.string_attribute("action_order");
  info.players = whole("players", 1, kMaxPlayers);
  info.state_bytes = whole("state_bytes", 1, kMaxStateBytes);
  return info;
}

// Of a build that did not say who it is: empty.
Build read_build(const hdf5::Reader& file) {
  const auto text = [&](const char* name) { return file.has_attribute(name) ? file.string_attribute(name) : ""; };
  return {text("koridor_version"), text("koridor_commit")};
}

// Calls visit(path, member, columns, description) for every dataset; writing and reading share this list.
template <class Data, class Visit>
void for_each_dataset(Data& data, Visit&& visit) {
  const int players = data.info.players;
  const int bytes = data.info.state_bytes;
  using Text = hdf5::Description;
  visit("/game/number", data.game_number, 0, Text{"number of the game within its generation", "count"});
  visit("/game/first_ply", data.game_first_ply, 0, Text{"row of the game's first ply in /ply", "row"});
  visit("/game/plies", data.game_plies, 0, Text{"how many plies the game has", "plies"});
  visit("/game/end", data.game_end, 0,
        Text{"how it ended: 0 goal reached, 1 ply cap, 2 repetition, 3 passes, 4 no stones left, 5 decided in a match",
             "code"});
  visit("/game/outcome", data.game_outcome, players,
        Text{"a player a column, in seat order: 1 won, 0 lost, 1/players drawn", "share of the win"});
  visit("/game/auxiliary", data.game_auxiliary, players,
        Text{"a player a column: what the game measures of the last position", "0 to 1"});
  visit("/game/simulations", data.game_simulations, 0,
        Text{"simulations of all searches of the game, and positions that its opponents looked at", "simulations"});
  visit("/game/evaluations", data.game_evaluations, 0,
        Text{"predictions that the game asked for, from a cache or not", "positions"});
  visit("/game/model", data.game_model, 0, Text{"generation of the model that played the game", "generation"});
  visit("/ply/state", data.ply_state, bytes, Text{"the position before the action, packed by the rules", "bytes"});
  visit("/ply/action", data.ply_action, 0, Text{"the action played; see the attribute action_order", "index"});
  visit("/ply/player", data.ply_player, 0, Text{"who played it, 0 moves first", "seat"});
  visit("/ply/kind", data.ply_kind, 0,
        Text{"0 opening (drawn from the raw policy), 1 cheap search, 2 full search (a training target), 3 opponent",
             "code"});
  visit("/ply/value", data.ply_value, players,
        Text{"a player a column: the search's value of the position; 0 without a search", "share of the win"});
  visit("/ply/policy_first", data.policy_first, 0, Text{"row of the ply's first entry in /policy", "row"});
  visit("/ply/policy_count", data.policy_count, 0, Text{"how many entries it has; 0 without a policy", "entries"});
  visit("/ply/depth", data.ply_depth, 0,
        Text{"mean depth that the search's simulations reached; 0 without a search", "1/100 ply"});
  visit("/ply/largest_depth", data.ply_largest_depth, 0,
        Text{"largest depth that a simulation reached; 0 without a search", "plies"});
  visit("/ply/surprise", data.ply_surprise, 0,
        Text{"KL of the policy target from the network's raw policy; 0 without a policy", "1/1000 nat"});
  visit("/policy/action", data.policy_action, 0, Text{"an action with a part in the policy target", "index"});
  visit("/policy/probability", data.policy_probability, 0, Text{"its part; a ply's parts sum to one", "1/65535"});
}

bool shares(std::span<const float> values) {
  for (const float value : values) {
    if (!(value >= 0.0f && value <= 1.0001f)) return false;  // also refuses what is not a number
  }
  return true;
}

// Rows follow each other without gaps: first[i] + count[i] == first[i + 1], and the last ends at `total`.
void check_rows(const std::string& where, const char* what, std::span<const std::uint32_t> first,
                std::span<const std::uint16_t> count, std::size_t total) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != next) fail(where, fmt::format("{} {} starts at row {}, not {}", what, i, first[i], next));
    next += count[i];
  }
  if (next != total) fail(where, fmt::format("the {} rows end at {}, not {}", what, next, total));
}

// A game is filed under the generation in which it is counted, and a later model did not exist when it began. A number
// below 0, written as one without a sign, is a later one as well.
void check_models(const std::string& where, const ShardInfo& info, std::span<const std::uint32_t> games,
                  std::span<const std::uint32_t> models) {
  for (std::size_t game = 0; game < models.size(); ++game) {
    if (std::int64_t{models[game]} <= info.generation) continue;
    fail(where, fmt::format("game {} was played by model {}, which is later than its generation {}", games[game],
                            models[game], info.generation));
  }
}

}  // namespace

std::vector<std::filesystem::path> shards_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> shards;
  for (const std::string& name : names_in(folder)) {
    if (is_shard(name)) shards.push_back(folder / name);
  }
  return shards;
}

void check_shard(const ShardData& data, const std::string& where) {
  const auto players = static_cast<std::size_t>(data.info.players);
  const std::size_t games = data.games();
  const std::size_t plies = data.plies();
  const auto same = [&](std::size_t size, std::size_t expected, const char* name) {
    if (size != expected) fail(where, fmt::format("{} has {} entries, not {}", name, size, expected));
  };
  same(data.game_first_ply.size(), games, "/game/first_ply");
  same(data.game_plies.size(), games, "/game/plies");
  same(data.game_end.size(), games, "/game/end");
  same(data.game_outcome.size(), games * players, "/game/outcome");
  same(data.game_auxiliary.size(), games * players, "/game/auxiliary");
  same(data.ply_state.size(), plies * static_cast<std::size_t>(data.info.state_bytes), "/ply/state");
  same(data.ply_player.size(), plies, "/ply/player");
  same(data.ply_kind.size(), plies, "/ply/kind");
  same(data.ply_value.size(), plies * players, "/ply/value");
  same(data.policy_first.size(), plies, "/ply/policy_first");
  same(data.policy_count.size(), plies, "/ply/policy_count");
  same(data.policy_probability.size(), data.policy_action.size(), "/policy/probability");
  const std::size_t counted = data.game_simulations.empty() ? 0 : games;
  same(data.game_simulations.size(), counted, "/game/simulations");
  same(data.game_evaluations.size(), counted, "/game/evaluations");
  same(data.game_model.size(), data.game_model.empty() ? 0 : games, "/game/model");
  check_models(where, data.info, data.game_number, data.game_model);
  // All or none: a shard of version 1 has none.
  const std::size_t searched = data.ply_depth.empty() ? 0 : plies;
  same(data.ply_depth.size(), searched, "/ply/depth");
  same(data.ply_largest_depth.size(), searched, "/ply/largest_depth");
  same(data.ply_surprise.size(), searched, "/ply/surprise");
  check_rows(where, "game", data.game_first_ply, data.game_plies, plies);
  check_rows(where, "policy", data.policy_first, data.policy_count, data.policy_action.size());

  for (std::size_t game = 0; game < games; ++game) {
    if (data.game_plies[game] == 0) fail(where, fmt::format("game {} has no plies", game));
    if (data.game_end[game] >= kGameEnds) {
      fail(where, fmt::format("game {} ends by an unknown code {}", game, data.game_end[game]));
    }
  }
  for (std::size_t ply = 0; ply < plies; ++ply) {
    if (data.ply_player[ply] >= players) fail(where, fmt::format("ply {} has player {}", ply, data.ply_player[ply]));
    if (data.ply_kind[ply] >= kPlyKinds) {
      fail(where, fmt::format("ply {} is of an unknown kind {}", ply, data.ply_kind[ply]));
    }
  }
  if (!shares(data.game_outcome)) fail(where, "/game/outcome has values outside [0, 1]");
  if (!shares(data.game_auxiliary)) fail(where, "/game/auxiliary has values outside [0, 1]");
  if (!shares(data.ply_value)) fail(where, "/ply/value has values outside [0, 1]");
}

namespace {

std::string bytes_of(const std::string& path, const ShardData& data) {
  std::string bytes;
  {
    const hdf5::Library library;
    hdf5::Writer file(path, kUserBlock);
    file.attribute("format", std::string(kFormat));
    file.attribute("format_version", std::int64_t{kShardVersion});
    file.attribute("notation_version", std::int64_t{kNotationVersion});
    file.attribute("game", data.info.game);
    for (const auto& [name, value] : data.info.rules) file.attribute("rule." + name, value);
    file.attribute("generation", std::int64_t{data.info.generation});
    file.attribute("config_hash", data.info.config_hash);
    file.attribute("seed", data.info.seed);
    file.attribute("action_order", data.info.action_order);
    file.attribute("players", std::int64_t{data.info.players});
    file.attribute("state_bytes", std::int64_t{data.info.state_bytes});
    if (!data.build.version.empty()) {
      file.attribute("koridor_version", data.build.version);
      file.attribute("koridor_commit", data.build.commit);
    }
    for (const char* group : {"/game", "/ply", "/policy"}) file.group(group);
    for_each_dataset(data, [&](const char* name, const auto& values, int columns, const hdf5::Description& text) {
      const bool optional = std::ranges::find(kOptional, std::string_view(name)) != kOptional.end();
      if (optional && values.empty()) return;
      file.dataset(name, std::span(values), columns, text);
    });
    bytes = file.finish();
  }
  seal_shard(bytes);
  return bytes;
}

}  // namespace

void write_shard(const std::string& path, const ShardData& data) {
  write_file_atomically(path, bytes_of(path, data));
}

std::uint64_t write_shard_unlisted(const std::string& path, const ShardData& data) {
  const std::string bytes = bytes_of(path, data);
  write_file_unlisted(path, bytes);
  return checksum_in(std::string_view(bytes).substr(0, kUserBlock));
}

void write_shard_unsynced(const std::string& path, const ShardData& data) {
  temporary_name(path);  // makes the folder
  replace_file(path, bytes_of(path, data));
}

void seal_shard(std::string& bytes) {
  const auto block = user_block(kShardVersion, bytes.size(), checksum(std::string_view(bytes).substr(kUserBlock)));
  std::copy(block.begin(), block.end(), bytes.begin());
}

ShardData read_shard(const std::string& path) {
  const std::string bytes = read_checked(path);
  ShardData data;
  {
    const hdf5::Library library;
    const hdf5::Reader file(path, bytes);
    data.info = read_info(file, path);
    data.build = read_build(file);
    const std::int64_t version = file.integer_attribute("format_version");
    for_each_dataset(data, [&]<class T>(const char* name, std::vector<T>& values, int columns,
                                        const hdf5::Description&) {
      const bool since_version_2 = std::ranges::find(kSinceVersion2, std::string_view(name)) != kSinceVersion2.end();
      if (since_version_2 && version < 2) return;
      const bool optional = std::ranges::find(kOptional, std::string_view(name)) != kOptional.end();
      if (optional && !file.has_dataset(name)) return;
      values = file.dataset<T>(name, columns);
    });
  }
  check_shard(data, path);
  return data;
}

std::uint64_t shard_checksum(const std::string& path) {
  return checksum_in(std::string_view(read_checked(path)).substr(0, kUserBlock));
}

ShardInfo read_shard_info(const std::string& path) {
  const std::string bytes = read_checked(path);
  const hdf5::Library library;
  const hdf5::Reader file(path, bytes);
  return read_info(file, path);
}

ShardGames read_shard_games(const std::string& path) {
  const std::string bytes = read_checked(path);
  const hdf5::Library library;
  const hdf5::Reader file(path, bytes);
  ShardGames games{read_info(file, path), file.dataset<std::uint32_t>("/game/number", 0)};
  if (!file.has_dataset("/game/model")) return games;
  const std::vector<std::uint32_t> models = file.dataset<std::uint32_t>("/game/model", 0);
  if (models.size() != games.numbers.size()) {
    fail(path, fmt::format("/game/model has {} entries, not {}", models.size(), games.numbers.size()));
  }
  check_models(path, games.info, games.numbers, models);
  return games;
}

}  // namespace koridor
