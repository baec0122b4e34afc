#include "train/run/encounter.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/json_file.h"

namespace koridor {
namespace {

// The scores of the groups of that many games; empty where the list holds something else, or other games.
std::optional<GroupScores> read_groups(const nlohmann::json& list, int players, int games) {
  GroupScores groups(players);
  if (!list.is_array() || list.empty()) return {};
  for (const nlohmann::json& entry : list) {
    const bool pair = entry.is_array() && entry.size() == 2 && entry[0].is_number() && entry[1].is_number_integer();
    const double score = pair ? entry[0].get<double>() : -1.0;
    const double count = pair ? entry[1].get<double>() : 0.0;
    if (!(score >= 0.0 && score <= 1.0 && count >= 1.0)) return {};
    groups.add(score, count);
  }
  const double each = games / groups.groups();
  if (each != 1.0 && each != players) return {};
  return groups;
}

}  // namespace

double dispersion(const Encounter& encounter) {
  const double groups = encounter.groups.groups();
  return groups > 0.0 ? dispersion(encounter.groups, encounter.score.games / groups) : 1.0;
}

nlohmann::json encounter_json(const Encounter& encounter) {
  nlohmann::json object = {{"a", encounter.a},
                           {"b", encounter.b},
                           {"game", encounter.game},
                           {"players", encounter.players},
                           {"wins", encounter.score.wins},
                           {"draws", encounter.score.draws},
                           {"losses", encounter.score.losses}};
  for (const GroupScores::Entry& entry : encounter.groups.entries()) {
    object["groups"].push_back({entry.score, static_cast<std::int64_t>(entry.groups)});
  }
  return object;
}

std::optional<Encounter> read_encounter(const nlohmann::json& object) {
  constexpr int kMost = 1 << 28;  // so that the sum of three is an int
  const auto count = [&](const char* name) { return member(object, name, -1); };
  Encounter encounter{.a = member(object, "a", std::string()),
                      .b = member(object, "b", std::string()),
                      .game = member(object, "game", std::string()),
                      .players = count("players"),
                      .score = {0, count("wins"), count("draws"), count("losses")}};
  SeatScore& score = encounter.score;
  const bool counts = std::min({score.wins, score.draws, score.losses}) >= 0 &&
                      std::max({score.wins, score.draws, score.losses}) < kMost;
  const bool players = encounter.players >= 2 && encounter.players <= kMaxPlayers;
  if (encounter.a.empty() || encounter.b.empty() || encounter.a == encounter.b || !counts || !players) return {};
  score.games = score.wins + score.draws + score.losses;
  if (const auto list = object.find("groups"); list != object.end()) {
    const auto groups = read_groups(*list, encounter.players, score.games);
    if (!groups) return {};
    encounter.groups = *groups;
  }
  if (encounter_json(encounter).size() != object.size()) return {};
  return encounter;
}

}  // namespace koridor
