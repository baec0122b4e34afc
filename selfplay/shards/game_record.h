// One game while it is played and until it is in a shard. Records are reused, so that a warm generator allocates
// nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/search/search.h"
#include "core/types.h"
#include "selfplay/shards/shard.h"

namespace koridor {

struct GameRecord {
  std::uint32_t number = 0;  // within the generation
  int variant = 0;           // which of the generator's games it was played by (see generator.h)
  GameEnd end = GameEnd::win;
  Values outcome{};
  Values auxiliary{};

  // One entry a ply (states: state_bytes each), as in ShardData.
  std::vector<std::uint8_t> states;
  std::vector<std::uint16_t> actions;
  std::vector<std::uint8_t> players;
  std::vector<PlyKind> kinds;
  std::vector<Values> values;
  std::vector<std::uint16_t> policy_counts;

  // The plies' policies, one after the other.
  std::vector<std::uint16_t> policy_actions;
  std::vector<std::uint16_t> policy_probabilities;

  std::size_t plies() const { return actions.size(); }
  void clear(std::uint32_t new_number, int new_variant);

  std::size_t memory_bytes() const;

  // Adds a ply's policy in units of 1/65535, entries that round to zero left out; the sum is exactly 65535.
  void add_policy(std::span<const PolicyEntry> policy);
};

// Appends the game's rows; `data.info` says how many players and bytes a state there are.
void append_game(const GameRecord& record, ShardData& data);

}  // namespace koridor
