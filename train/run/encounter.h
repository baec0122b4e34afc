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
};

// An object of "a", "b", "game", "players", "wins", "draws" and "losses".
nlohmann::json encounter_json(const Encounter& encounter);

// The encounter of such an object; empty where it has other members, another type or range of one, or one player twice.
std::optional<Encounter> read_encounter(const nlohmann::json& object);

}  // namespace koridor
