// A game of Go and its first position as a query describes them: board, rules, komi, stones.
#pragma once

#include <string_view>
#include <vector>

#include "cli/analysis/fields.h"
#include "selfplay/analysis/game_line.h"

namespace koridor::cli {

// A line without moves, from boardXSize, boardYSize, rules, komi, whiteHandicapBonus, initialStones and initialPlayer.
// Throws FieldError. What of the rules is passed over goes to `warnings`.
GameLine parse_go_board(Fields& fields, std::vector<FieldWarning>& warnings);

// The point or pass that the text names on this board: "Q4", "pass", or "(15,15)" with column and row counted from 0 at
// the top left. Nothing where it names none, legal or not.
std::optional<Action> parse_point(const go::GoGame& game, std::string_view text);

}  // namespace koridor::cli
