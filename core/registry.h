// From a game's name to the game: ids, variant strings, rule settings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/go/game.h"
#include "core/wall/game.h"

namespace koridor {

// The type-erased game that the command line and the files hold; one std::visit enters the templates.
using AnyGame = std::variant<wall::WallGame, go::GoGame>;

// The game of a variant string: "quoridor", "quoridor:5x5,walls=3" (columns x rows), "go:9x9,leaflet" (a word names a
// ruleset). The settings "rule=value" are applied after it, in order. Throws UserError for an unknown id, a malformed
// variant, an unknown rule or a value out of range, and says what would be right.
AnyGame parse_game(std::string_view variant, std::span<const std::string> settings = {});

// Its canonical variant string, from which parse_game makes it again.
std::string name_of(const AnyGame& game);

int players_of(const AnyGame& game);

struct GameInfo {
  std::string id;
  std::string title;    // one line for a person
  std::string variant;  // canonical name
};
// Every registered id, in the order of the documentation.
std::vector<GameInfo> registered_games();

// The rule parameters of a game as name and value, in a fixed order (what shards and models store).
std::vector<std::pair<std::string, std::string>> rule_parameters(const AnyGame& game);

// The game without a rule of repetition. A model plays either: self-play mixes them (`selfplay.repetition_share`).
AnyGame without_repetition(const AnyGame& game);
bool same_but_for_repetition(const AnyGame& a, const AnyGame& b);

// The names of a game's planes and scalars; "plane.0" and "scalar.0" where it gives them none.
EncodingNames encoding_names(const AnyGame& game, const Features& features);

}  // namespace koridor
