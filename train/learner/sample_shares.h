// How often each ply of a game is learned from. A ply with a full search is one sample, or with surprise_share s > 0 on
// average
//     1 - s + s * KL(search's policy || network's) / mean of that over the game's full searches
// samples: where the search found what the network had not thought of there is more to learn (KataGo's policy surprise
// weighting). A ply with a cheap search or of an opponent is a sample with the probability cheap_share.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/base/random.h"
#include "selfplay/shards/shard.h"
#include "train/run/config.h"

namespace koridor {

class SampleShares {
 public:
  // Of the game whose plies are the rows [first, end). Data and configuration must outlive it.
  SampleShares(const ShardData& data, std::size_t first, std::size_t end, const TrainingConfig& config)
      : data_(data), config_(config) {
    if (config.surprise_share <= 0 || data.ply_surprise.empty()) return;
    double sum = 0.0;
    int count = 0;
    for (std::size_t ply = first; ply < end; ++ply) {
      if (!is_full(ply)) continue;
      sum += data.ply_surprise[ply];
      ++count;
    }
    if (sum > 0) mean_surprise_ = sum / count;
  }

  // The number of samples that the ply is. Random numbers are drawn only where a setting asks for them.
  int samples(std::size_t ply, Random& random) const {
    if (is_full(ply)) {
      if (mean_surprise_ <= 0) return 1;
      const double surprise = data_.ply_surprise[ply] / mean_surprise_;
      const double wanted = std::min(1.0 + config_.surprise_share * (surprise - 1.0), kMost);
      const int whole = static_cast<int>(wanted);
      return whole + (random.chance(wanted - whole) ? 1 : 0);
    }
    const auto kind = data_.kind(ply);
    const bool without_policy = kind == PlyKind::cheap || kind == PlyKind::opponent;
    return without_policy && config_.cheap_share > 0 && random.chance(config_.cheap_share) ? 1 : 0;
  }

 private:
  static constexpr double kMost = 8;  // samples of one ply

  bool is_full(std::size_t ply) const { return data_.kind(ply) == PlyKind::full && data_.policy_count[ply] > 0; }

  const ShardData& data_;
  const TrainingConfig& config_;
  double mean_surprise_ = 0;  // in the shard's unit; 0: every full search counts alike
};

}  // namespace koridor
