// The count of a game of Go at the board: who will own each point, the score, and the dead stones that people agree on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/play/line_reader.h"
#include "cli/play/screen.h"
#include "selfplay/matches/players.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

// Whether the session's game is counted: a game of Go.
bool is_counted(const Session& session);

// Whether the count decides this game, which is over: not where a repetition made it a draw.
bool ends_by_count(const Session& session);

// The probability that black will own each point of the position, by the ownership head of the model where it has one,
// else by random playouts.
std::vector<float> owners_of(const Session& session, const MatchPlayer* player);

// Prints the map of the owners.
void print_owners(const Session& session, const Screen& screen, const std::vector<float>& owners);

// Prints the count of the position, once with all stones alive and once without those that look dead (core/go/count.h).
void print_score(const Session& session, const Screen& screen);

// Asks which stones are dead, and proposes those that look so. Returns the result that was agreed on as SGF writes
// it ("B+3.5"); nothing where the result of the rules is to stand.
std::optional<std::string> agree_on_count(const Session& session, const Screen& screen, LineReader& lines);

// "black wins by 3.5", "a draw" of an SGF result.
std::string result_words(const std::string& result);

}  // namespace koridor::cli
