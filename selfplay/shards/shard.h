// A shard: finished games in one immutable HDF5 file. docs/formats.md lists its datasets and says how to read them
// in Python. The file starts with a user block of 512 bytes, which HDF5 readers skip. It holds the file's length and a
// checksum, so that a truncated or damaged file is recognised before HDF5 reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/version.h"
#include "core/types.h"

namespace koridor {

enum class PlyKind : std::uint8_t {
  opening = 0,   // drawn from the raw policy for variety, without a search; not a training position
  cheap = 1,     // played by the small search of playout-cap randomisation; not a training position
  full = 2,      // played by a full search: a training position
  opponent = 3,  // played by a classical opponent (selfplay.opponents), without a search; not a training position
};
inline constexpr int kPlyKinds = 4;
inline constexpr std::array<const char*, kPlyKinds> kPlyKindNames = {"opening", "cheap", "full", "opponent"};

// Whether a search chose the ply, so that it has values.
constexpr bool is_searched(PlyKind kind) {
  return kind == PlyKind::cheap || kind == PlyKind::full;
}

// Depths, surprises and probabilities are stored as whole numbers of units: so many are
inline constexpr int kDepthUnits = 100;          // a ply,
inline constexpr int kSurpriseUnits = 1000;      // a nat,
inline constexpr int kProbabilityUnits = 65535;  // a probability of 1

struct ShardInfo {
  std::string game;                          // the variant's canonical name
  std::map<std::string, std::string> rules;  // rule parameters by name
  int generation = 0;                        // that the games are counted in
  std::string config_hash;
  std::uint64_t seed = 0;    // of the run
  std::string action_order;  // the meaning of an action's index, in words
  int players = 0;
  int state_bytes = 0;  // game.packed_size()
  friend bool operator==(const ShardInfo&, const ShardInfo&) = default;
};

// The file's datasets, flat as they are stored.
struct ShardData {
  ShardInfo info;
  Build build = this_build();  // that wrote the file

  // One entry per game.
  std::vector<std::uint32_t> game_number;     // number within the generation
  std::vector<std::uint32_t> game_first_ply;  // index of its first ply below
  std::vector<std::uint16_t> game_plies;      // number of plies
  std::vector<std::uint8_t> game_end;         // GameEnd
  std::vector<float> game_outcome;            // [games, players]: Outcome::values
  std::vector<float> game_auxiliary;          // [games, players]: game.auxiliary of the last position

  // What a game took, whatever the machine: simulations of all its searches, with the positions that its opponents
  // looked at, and predictions that it asked for, from a cache or not. Both are empty where the file does not say, as
  // those of matches and of builds before 2026-11-22.
  std::vector<std::uint32_t> game_simulations;
  std::vector<std::uint32_t> game_evaluations;

  // The generation of the model that played a game, all plies but those of opponents of another kind: that of the file,
  // or an earlier one. Empty where the file does not say, as above; the model is then that of the file's generation.
  std::vector<std::uint32_t> game_model;

  // One entry per ply, game after game.
  std::vector<std::uint8_t> ply_state;      // [plies, state_bytes]: game.pack of the position before the action
  std::vector<std::uint16_t> ply_action;    // the action played
  std::vector<std::uint8_t> ply_player;     // who played it
  std::vector<std::uint8_t> ply_kind;       // PlyKind
  std::vector<float> ply_value;             // [plies, players]: the search's root value, seat order; 0 without a search
  std::vector<std::uint32_t> policy_first;  // index of its first policy entry below
  std::vector<std::uint16_t> policy_count;  // number of policy entries; 0 but after a full search

  // What a ply's search was like. All three are empty where the file does not say: format version 1.
  std::vector<std::uint16_t> ply_depth;          // mean depth of its simulations in kDepthUnits; 0 without a search
  std::vector<std::uint16_t> ply_largest_depth;  // of its simulations, in plies; 0 without a search
  std::vector<std::uint16_t> ply_surprise;       // KL of the policy target from the network's raw policy in
                                                 // kSurpriseUnits; 0 without a policy

  // Sparse policy targets, ply after ply.
  std::vector<std::uint16_t> policy_action;
  std::vector<std::uint16_t> policy_probability;  // in kProbabilityUnits, to which a ply's entries sum within rounding

  std::size_t games() const { return game_number.size(); }
  std::size_t plies() const { return ply_action.size(); }
  PlyKind kind(std::size_t ply) const { return static_cast<PlyKind>(ply_kind[ply]); }
  // The same as numbers: of a ply, in plies and in nats, where the file says what its search was like, and of a policy
  // entry, in [0, 1].
  double depth(std::size_t ply) const { return ply_depth[ply] / static_cast<double>(kDepthUnits); }
  double surprise(std::size_t ply) const { return ply_surprise[ply] / static_cast<double>(kSurpriseUnits); }
  double probability(std::size_t entry) const {
    return policy_probability[entry] / static_cast<double>(kProbabilityUnits);
  }
  friend bool operator==(const ShardData&, const ShardData&) = default;
};

// The versions that this Koridor writes. It also reads shards of the oldest version: they lack what searches were like.
inline constexpr int kShardVersion = 2;
inline constexpr int kOldestShardVersion = 1;
inline constexpr int kNotationVersion = 1;  // of the standard notation of actions

// How the names of shards end.
inline constexpr std::string_view kShardEnding = ".h5";
constexpr bool is_shard(std::string_view name) {
  return name.ends_with(kShardEnding);
}
// The shards in a folder, not below it, in order; none where it does not exist. Throws UserError where it cannot be
// read.
std::vector<std::filesystem::path> shards_in(const std::filesystem::path& folder);

// Throws UserError "<where>: ..." where sizes, offsets or ranges are inconsistent.
void check_shard(const ShardData& data, const std::string& where);

// Writes `path` whole or not at all: temporary name, close, fsync, rename, fsync of the folder.
// Throws UserError with the path and the system's reason where it cannot be written; no temporary file stays behind.
void write_shard(const std::string& path, const ShardData& data);
// The same without the fsync of the folder. Returns the checksum of the file's bytes.
std::uint64_t write_shard_unlisted(const std::string& path, const ShardData& data);
// Without any fsync: the file is whole or not there while the machine runs, and may be lost with a power cut.
void write_shard_unsynced(const std::string& path, const ShardData& data);

// Writes the length and the checksum of a file's bytes into its user block: the last step of write_shard.
void seal_shard(std::string& bytes);
inline constexpr std::size_t kShardUserBlock = 512;

// Reads a whole shard and calls check_shard; verify.h checks it against the rules. Throws UserError that names the file
// where it is truncated, damaged, of another format version or no shard at all; never crashes.
ShardData read_shard(const std::string& path);

// Reads the bytes only, checks them likewise, and returns their checksum.
std::uint64_t shard_checksum(const std::string& path);

// Reads the attributes only: the checksum is checked, the datasets are not unpacked.
ShardInfo read_shard_info(const std::string& path);

// Reads the attributes, the games' numbers and, to check them, their models only; likewise.
struct ShardGames {
  ShardInfo info;
  std::vector<std::uint32_t> numbers;
};
ShardGames read_shard_games(const std::string& path);

}  // namespace koridor
