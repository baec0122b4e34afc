// How often each ply of a game is learned from. A ply with a full search is one sample, or with surprise_share s > 0 on
// average
//     1 - s + s * KL(search's policy || network's) / mean of that over the game's full searches
// samples, at most 8: where the search found what the network had not thought of there is more to learn (KataGo's
// policy surprise weighting). A ply with a cheap search or of an opponent is a sample with the probability cheap_share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/random.h"
#include "selfplay/shards/shard.h"
#include "train/run/config.h"

namespace koridor {

class SampleShares {
 public:
  // Of a game of the shard. Data and configuration must outlive it.
  SampleShares(const ShardData& data, std::size_t game, const TrainingConfig& config)
      : data_(data),
        config_(config),
        random_(Random::for_game(data.info.seed ^ kStream, static_cast<std::uint64_t>(data.info.generation),
                                 data.game_number[game])) {
    if (config.surprise_share <= 0 || data.ply_surprise.empty()) return;
    const std::size_t first = data.game_first_ply[game];
    const std::size_t end = first + data.game_plies[game];
    double sum = 0.0;
    int count = 0;
    for (std::size_t ply = first; ply < end; ++ply) {
      if (!is_full(ply)) continue;
      sum += data.ply_surprise[ply];
      ++count;
    }
    if (sum > 0) mean_surprise_ = sum / count;
  }

  // The number of samples that the ply is. To be called for every ply of the game in turn, since a ply may draw random
  // numbers.
  int samples(std::size_t ply) {
    if (is_full(ply)) {
      if (mean_surprise_ <= 0) return 1;
      const double surprise = data_.ply_surprise[ply] / mean_surprise_;
      const double wanted = std::min(1.0 + config_.surprise_share * (surprise - 1.0), kMost);
      const int whole = static_cast<int>(wanted);
      return whole + (random_.chance(wanted - whole) ? 1 : 0);
    }
    const auto kind = data_.kind(ply);
    const bool without_policy = kind == PlyKind::cheap || kind == PlyKind::opponent;
    return without_policy && config_.cheap_share > 0 && random_.chance(config_.cheap_share) ? 1 : 0;
  }

 private:
  static constexpr double kMost = 8;  // samples of one ply
  // Keeps these random numbers apart from those that the games were played with.
  static constexpr std::uint64_t kStream = 0x5A4D504C45;

  bool is_full(std::size_t ply) const { return data_.kind(ply) == PlyKind::full && data_.policy_count[ply] > 0; }

  const ShardData& data_;
  const TrainingConfig& config_;
  Random random_;
  double mean_surprise_ = 0;  // in the shard's unit; 0: every full search counts alike
};

// The number of samples that a shard's games are: the positions that a replay window gets from it.
inline std::uint64_t samples_of(const ShardData& data, const TrainingConfig& config) {
  std::uint64_t samples = 0;
  for (std::size_t game = 0; game < data.games(); ++game) {
    SampleShares shares(data, game, config);
    const std::size_t first = data.game_first_ply[game];
    for (std::size_t ply = first; ply < first + data.game_plies[game]; ++ply) {
      samples += static_cast<std::uint64_t>(shares.samples(ply));
    }
  }
  return samples;
}

}  // namespace koridor
