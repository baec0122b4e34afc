// Players that need no model, no file and no program: what a page offers to everybody.
#pragma once

#include <string>
#include <vector>

#include "selfplay/matches/players.h"

namespace koridor {

// "random", "greedy", "alphabeta:2", "alphabeta:3", "mcts".
const std::vector<std::string>& plain_players();

// One of them; `visits` and `search` are a tree search's. Throws UserError for another text, whatever it is to
// load_player().
MatchPlayer plain_player(const std::string& text, int visits, const SearchConfig& search);

}  // namespace koridor
