// What shards say of the games in them: how long they are, who wins, how they end, how deep searches look and how often
// they change the network's mind.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/game_end.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// Sums over games, which add up over shards.
struct SelfplayFigures {
  std::uint64_t games = 0;
  std::uint64_t plies = 0;
  std::uint64_t positions = 0;                  // plies with a full search
  std::vector<std::uint64_t> wins{};            // by seat
  std::array<std::uint64_t, kGameEnds> ends{};  // by GameEnd
  std::uint64_t searches = 0;                   // full searches whose depth is known
  double depth = 0;                             // the sum of their mean depths, in plies
  int largest_depth = 0;                        // in plies
  double surprise = 0;                          // the sum of theirs, in nats
  std::uint64_t counted = 0;                    // games that say what they took:
  std::uint64_t simulations = 0;                // of all searches, and what opponents looked at
  std::uint64_t evaluations = 0;                // predictions asked for, from a cache or not
  std::uint64_t modelled = 0;                   // games that say which model played them
  std::uint64_t behind = 0;                     // the sum of how many models older these are than their generations

  std::uint64_t opponent_games = 0;  // games with opponents (selfplay.opponents)
  double opponent_points = 0;        // the sum of what the network got in them, 1 a win

  void add(const ShardData& shard);
  void add(const SelfplayFigures& other);

 private:
  void add_points_against_opponents(const ShardData& shard, std::size_t game);
};

// The object `selfplay` of figures.jsonl (README.md), without speeds; empty without a game.
nlohmann::json to_json(const SelfplayFigures& figures);

}  // namespace koridor
