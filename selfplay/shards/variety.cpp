#include "selfplay/shards/variety.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <variant>

#include "core/base/error.h"
#include "selfplay/shards/verify.h"

namespace koridor {
namespace {

// The keys of the positions before the plies.
std::vector<std::uint64_t> keys_of(const ShardData& data, const std::string& where) {
  std::vector<std::uint64_t> keys(data.plies());
  std::visit(
      [&](const auto& game) {
        const auto bytes = static_cast<std::size_t>(game.packed_size());
        for (std::size_t ply = 0; ply < keys.size(); ++ply) {
          const auto state = game.unpack(std::span(data.ply_state).subspan(ply * bytes, bytes));
          if (!state) throw UserError(fmt::format("{}: ply {} is no position of {}", where, ply, data.info.game));
          keys[ply] = prediction_key(game, *state);
        }
      },
      game_of(data, where));
  return keys;
}

// Of the policy target of a ply.
double policy_entropy(const ShardData& data, std::size_t row) {
  double entropy = 0.0;
  for (std::size_t i = 0; i < data.policy_count[row]; ++i) {
    const double share = data.probability(data.policy_first[row] + i);
    if (share > 0.0) entropy -= share * std::log(share);
  }
  return entropy;
}

}  // namespace

void Variety::add(const ShardData& data, const std::string& where) {
  const std::vector<std::uint64_t> keys = keys_of(data, where);
  for (std::size_t game = 0; game < data.games(); ++game) {
    const std::size_t count = data.game_plies[game];
    if (plies_.size() < count) plies_.resize(count);
    for (std::size_t at = 0; at < count; ++at) {
      const std::size_t row = data.game_first_ply[game] + at;
      Ply& ply = plies_[at];
      ++ply.games;
      ++ply.seen[keys[row]];
      if (data.kind(row) != PlyKind::full) continue;
      ++ply.searches;
      ply.entropy += policy_entropy(data, row);
      if (data.ply_surprise.empty()) continue;
      ++ply.surprises;
      ply.surprise += data.surprise(row);
    }
  }
}

std::vector<PlyVariety> Variety::plies() const {
  std::vector<PlyVariety> result;
  for (const Ply& ply : plies_) {
    double pairs = 0.0;
    for (const auto& [state, count] : ply.seen) pairs += static_cast<double>(count) * (count - 1.0);
    const auto games = static_cast<double>(ply.games);
    const auto mean = [](double sum, std::size_t count) {
      return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
    };
    result.push_back({.ply = result.size(),
                      .games = ply.games,
                      .positions = ply.seen.size(),
                      .alike = ply.games < 2 ? std::nullopt : std::optional(pairs / (games * (games - 1.0))),
                      .searches = ply.searches,
                      .entropy = mean(ply.entropy, ply.searches),
                      .surprise = mean(ply.surprise, ply.surprises)});
  }
  return result;
}

}  // namespace koridor
