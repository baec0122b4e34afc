// How different the games of self-play are from each other, ply by ply. Where all games open alike, a network learns
// from few positions, however many games there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "selfplay/shards/shard.h"

namespace koridor {

struct PlyVariety {
  std::size_t ply = 0;        // plies played before these positions; 0 is the start
  std::size_t games = 0;      // games that have such a position, and an action played in it
  std::size_t positions = 0;  // different ones among them
  // Chance that two of these games, drawn at random, have the same position; 0 of a single game.
  double alike = 0.0;
  std::size_t searches = 0;  // full searches at this ply; the next two are their means, 0 without one
  double entropy = 0.0;      // of the policy target, in nats
  double surprise = 0.0;     // KL of the policy target from the raw policy, in nats
};

class Variety {
 public:
  // Games of one variant; files of one variant may come one after the other.
  void add(const ShardData& data);

  std::size_t games() const { return plies_.empty() ? 0 : plies_.front().games; }
  // Every ply of the longest game, in order.
  std::vector<PlyVariety> plies() const;

 private:
  struct Ply {
    std::size_t games = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> seen;  // packed states, by their checksum
    std::size_t searches = 0;
    double entropy = 0.0, surprise = 0.0;  // sums
  };
  std::vector<Ply> plies_;
};

}  // namespace koridor
