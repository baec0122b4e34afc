#include "selfplay/shards/variety.h"

#include <cmath>

#include "core/base/checksum.h"

namespace koridor {
namespace {

// Of the packed state before a ply.
std::uint64_t state_checksum(const ShardData& data, std::size_t row) {
  const auto bytes = static_cast<std::size_t>(data.info.state_bytes);
  const char* state = reinterpret_cast<const char*>(data.ply_state.data()) + row * bytes;
  return Checksum(0).add({state, bytes}).value();
}

// Of the policy target of a ply.
double policy_entropy(const ShardData& data, std::size_t row) {
  double entropy = 0.0;
  for (std::size_t i = 0; i < data.policy_count[row]; ++i) {
    const double share = data.policy_probability[data.policy_first[row] + i] / 65535.0;
    if (share > 0.0) entropy -= share * std::log(share);
  }
  return entropy;
}

}  // namespace

void Variety::add(const ShardData& data) {
  for (std::size_t game = 0; game < data.games(); ++game) {
    const std::size_t count = data.game_plies[game];
    if (plies_.size() < count) plies_.resize(count);
    for (std::size_t at = 0; at < count; ++at) {
      const std::size_t row = data.game_first_ply[game] + at;
      Ply& ply = plies_[at];
      ++ply.games;
      ++ply.seen[state_checksum(data, row)];
      if (data.ply_kind[row] != static_cast<std::uint8_t>(PlyKind::full)) continue;
      ++ply.searches;
      ply.entropy += policy_entropy(data, row);
      if (!data.ply_surprise.empty()) ply.surprise += data.ply_surprise[row] / 1000.0;
    }
  }
}

std::vector<PlyVariety> Variety::plies() const {
  std::vector<PlyVariety> result;
  for (const Ply& ply : plies_) {
    double pairs = 0.0;
    for (const auto& [state, count] : ply.seen) pairs += static_cast<double>(count) * (count - 1.0);
    const auto games = static_cast<double>(ply.games);
    const auto mean = [&](double sum) { return ply.searches == 0 ? 0.0 : sum / static_cast<double>(ply.searches); };
    result.push_back({.ply = result.size(),
                      .games = ply.games,
                      .positions = ply.seen.size(),
                      .alike = ply.games < 2 ? 0.0 : pairs / (games * (games - 1.0)),
                      .searches = ply.searches,
                      .entropy = mean(ply.entropy),
                      .surprise = mean(ply.surprise)});
  }
  return result;
}

}  // namespace koridor
