#include "train/run/encounter.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_file.h"

namespace koridor {

nlohmann::json encounter_json(const Encounter& encounter) {
  return {{"a", encounter.a},
          {"b", encounter.b},
          {"game", encounter.game},
          {"players", encounter.players},
          {"wins", encounter.score.wins},
          {"draws", encounter.score.draws},
          {"losses", encounter.score.losses}};
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
  if (encounter_json(encounter).size() != object.size()) return {};
  score.games = score.wins + score.draws + score.losses;
  return encounter;
}

}  // namespace koridor
