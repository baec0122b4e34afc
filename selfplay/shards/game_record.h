// One game, from its first ply until it is in a shard. Records are reused, so a warm generator allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/game_end.h"
#include "core/search/search.h"
#include "core/types.h"
#include "selfplay/shards/shard.h"

namespace koridor {

struct GameRecord {
  std::uint32_t number = 0;      // within the generation
  std::uint32_t generation = 0;  // that it is counted in
  std::uint32_t model = 0;       // generation of the model that played it
  int variant = 0;               // index of the rules it was played by in game_variants() (generator.h)
  GameEnd end = GameEnd::goal;
  Values outcome{};
  Values auxiliary{};
  std::uint32_t simulations = 0;  // of all its searches, with the positions that opponents looked at
  std::uint32_t evaluations = 0;  // predictions that it asked for, from a cache or not

  // One entry per ply (of `states`, state_bytes per ply), as in ShardData.
  std::vector<std::uint8_t> states;
  std::vector<std::uint16_t> actions;
  std::vector<std::uint8_t> players;
  std::vector<PlyKind> kinds;
  std::vector<Values> values;
  std::vector<std::uint16_t> policy_counts;
  std::vector<std::uint16_t> depths;
  std::vector<std::uint16_t> largest_depths;
  std::vector<std::uint16_t> surprises;

  // The plies' policies, one after the other.
  std::vector<std::uint16_t> policy_actions;
  std::vector<std::uint16_t> policy_probabilities;

  std::size_t plies() const { return actions.size(); }
  void clear(std::uint32_t new_number, int new_variant);

  std::size_t memory_bytes() const;

  // Adds what a ply's search was like: the mean and the largest depth of its simulations, in plies, and its surprise
  // in nats (SearchReport::surprise). What a file cannot hold is stored as the largest number that it can.
  void add_search(double depth, int largest_depth, double surprise);
  // Adds a ply's policy in kProbabilityUnits, to which its entries sum exactly; those that round to zero are left out.
  void add_policy(std::span<const PolicyEntry> policy);
};

// Appends the game's rows; `data.info` holds the number of players and of bytes per state.
void append_game(const GameRecord& record, ShardData& data);

}  // namespace koridor
