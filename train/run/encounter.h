// The games that two players have played on one board, and their form in the files that keep them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "selfplay/matches/match.h"

namespace koridor {

// All games between two players on one board, from the first one's side.
struct Encounter {
  std::string a;
  std::string b;
  std::string game{};
  int players = 2;
  SeatScore score{};
  GroupScores groups{};  // of the first one; empty where they are not known, as in files of before 2026-11-28
};

// The dispersion of the first one's points (group_scores.h); 1 where the groups are not known.
double dispersion(const Encounter& encounter);

// An object of "a", "b", "game", "players", "wins", "draws", "losses" and, where they are known, "groups": pairs of a
// score and the number of groups that have it.
nlohmann::json encounter_json(const Encounter& encounter);

// The encounter of such an object; empty where it has other members, another type or range of one, or one player twice.
std::optional<Encounter> read_encounter(const nlohmann::json& object);

}  // namespace koridor
