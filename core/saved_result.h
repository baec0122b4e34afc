// What records of games say of the result: "1-0", "1/2-1/2", "0-1/3-1/3-1/3", and in Go SGF's "B+3.5", "W+R", "0".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/registry.h"

namespace koridor {

// The result of the game after these actions by its rules, from `start` (of Go; nothing: the game's start); empty where
// it is not over.
std::string result_of(const AnyGame& game, std::span<const Action> actions, const std::optional<go::State>& start = {});
// The result where the player in this seat has given the game up ("0-1", "W+R"). The game has two players.
std::string resignation_result(const AnyGame& game, int seat);
// The result of a game that was decided otherwise ("1-0", "0-1/3-1/3-1/3", "W+T"): `letter` is how SGF marks it, T for
// time, R for a resignation, F for another forfeit, empty where the margin is unknown.
std::string decided_result(const AnyGame& game, const Outcome& outcome, std::string_view letter);

// The outcome that such a text says, in small letters or large; points that are shared are a draw with these values. It
// is not over where SGF says that nobody won ("Void", "?"). Nothing where a record of the game cannot say the text.
std::optional<Outcome> read_result(const AnyGame& game, std::string_view result);

}  // namespace koridor
