// How different the games of self-play are from each other, ply by ply. Where all games open alike, a network learns
// from few positions, however many games there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "selfplay/shards/shard.h"

namespace koridor {

struct PlyVariety {
  std::size_t ply = 0;              // plies played before these positions; 0 is the start
  std::size_t games = 0;            // games that have such a position, and an action played in it
  std::size_t positions = 0;        // different ones among them, as the network sees them: in whatever order they arose
  std::optional<double> alike{};    // chance that two of these games, drawn at random, have the same position
  std::size_t searches = 0;         // full searches at this ply
  std::optional<double> entropy{};  // their mean of the policy target's entropy, in nats; nothing without one
  std::optional<double> surprise{};  // that of its KL from the raw policy, in nats; nothing where no file has it
};

class Variety {
 public:
  // All calls take games of the same variant; `where` names the file. Throws UserError where a ply holds no position of
  // the variant; nothing is counted then.
  void add(const ShardData& data, const std::string& where);

  std::size_t games() const { return plies_.empty() ? 0 : plies_.front().games; }
  // Every ply of the longest game, in order.
  std::vector<PlyVariety> plies() const;

 private:
  struct Ply {
    std::size_t games = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> seen;  // games by their position's key
    std::size_t searches = 0, surprises = 0;
    double entropy = 0.0, surprise = 0.0;  // sums
  };
  std::vector<Ply> plies_;
};

}  // namespace koridor
