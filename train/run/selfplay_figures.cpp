#include "train/run/selfplay_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace koridor {

void SelfplayFigures::add(const ShardData& shard) {
  const auto players = static_cast<std::size_t>(shard.info.players);
  wins.resize(std::max(wins.size(), players));
  games += shard.games();
  plies += shard.plies();
  for (std::size_t game = 0; game < shard.games(); ++game) {
    ends[std::min<std::size_t>(shard.game_end[game], kGameEnds - 1)] += 1;
    for (std::size_t seat = 0; seat < players; ++seat) {
      wins[seat] += shard.game_outcome[game * players + seat] > 0.999f ? 1 : 0;
    }
    add_points_against_opponents(shard, game);
  }
  counted += shard.game_simulations.size();
  for (const std::uint32_t count : shard.game_simulations) simulations += count;
  for (const std::uint32_t count : shard.game_evaluations) evaluations += count;
  modelled += shard.game_model.size();
  const auto newest = static_cast<std::uint32_t>(std::max(0, shard.info.generation));
  for (const std::uint32_t model : shard.game_model) behind += newest > model ? newest - model : 0;
  for (std::size_t ply = 0; ply < shard.plies(); ++ply) {
    if (shard.kind(ply) != PlyKind::full) continue;
    ++positions;
    if (shard.ply_depth.empty()) continue;
    ++searches;
    depth += shard.depth(ply);
    largest_depth = std::max<int>(largest_depth, shard.ply_largest_depth[ply]);
    surprise += shard.surprise(ply);
  }
}

// Of a game with opponents whose searched plies, of one seat, say which seat is the network's.
void SelfplayFigures::add_points_against_opponents(const ShardData& shard, std::size_t game) {
  const std::size_t first = shard.game_first_ply[game];
  const auto kinds = std::span(shard.ply_kind).subspan(first, shard.game_plies[game]);
  if (std::ranges::find(kinds, static_cast<std::uint8_t>(PlyKind::opponent)) == kinds.end()) return;
  const auto own = std::ranges::find_if(kinds, [](std::uint8_t kind) { return is_searched(PlyKind{kind}); });
  if (own == kinds.end()) return;
  const std::size_t seat = shard.ply_player[first + static_cast<std::size_t>(own - kinds.begin())];
  opponent_games += 1;
  opponent_points += shard.game_outcome[game * static_cast<std::size_t>(shard.info.players) + seat];
}

void SelfplayFigures::add(const SelfplayFigures& other) {
  wins.resize(std::max(wins.size(), other.wins.size()));
  for (std::size_t seat = 0; seat < other.wins.size(); ++seat) wins[seat] += other.wins[seat];
  for (std::size_t end = 0; end < ends.size(); ++end) ends[end] += other.ends[end];
  games += other.games;
  plies += other.plies;
  positions += other.positions;
  searches += other.searches;
  depth += other.depth;
  largest_depth = std::max(largest_depth, other.largest_depth);
  surprise += other.surprise;
  counted += other.counted;
  simulations += other.simulations;
  evaluations += other.evaluations;
  modelled += other.modelled;
  behind += other.behind;
  opponent_games += other.opponent_games;
  opponent_points += other.opponent_points;
}

nlohmann::json to_json(const SelfplayFigures& figures) {
  nlohmann::json object = nlohmann::json::object();
  if (figures.games == 0) return object;
  const auto games = static_cast<double>(figures.games);
  object["games"] = figures.games;
  object["positions"] = figures.positions;
  object["plies"] = static_cast<double>(figures.plies) / games;
  for (const std::uint64_t wins : figures.wins) object["wins"].push_back(static_cast<double>(wins) / games);
  object["ends"] = nlohmann::json::object();
  for (std::size_t end = 0; end < figures.ends.size(); ++end) {
    if (figures.ends[end] > 0) object["ends"][kGameEndNames[end]] = static_cast<double>(figures.ends[end]) / games;
  }
  if (figures.searches > 0) {
    object["depth"] = figures.depth / static_cast<double>(figures.searches);
    object["largest_depth"] = figures.largest_depth;
    object["surprise"] = figures.surprise / static_cast<double>(figures.searches);
  }
  if (figures.modelled > 0) {
    object["models_behind"] = static_cast<double>(figures.behind) / static_cast<double>(figures.modelled);
  }
  if (figures.opponent_games > 0) {
    object["against_opponents"] = figures.opponent_points / static_cast<double>(figures.opponent_games);
  }
  // A sum over some of the games would be taken for one over all.
  if (figures.counted == figures.games) {
    object["simulations"] = figures.simulations;
    object["evaluations"] = figures.evaluations;
  }
  return object;
}

}  // namespace koridor
