// The count at the end of a game between people: who will own each point, which stones are dead, and what the board is
// worth without them. The rules themselves know no dead stones (game.h): what is on the board is alive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/go/game.h"

namespace koridor::go {

// The share of playouts from the position after which black owns each point, [rows * columns]; a neutral point
// counts half. The colours begin in turn and fill none of their own eyes, and at nine plies of ten a colour that can
// take a chain in atari, or save one of its own, does so. What was played before does not count: a game that two
// passes or its cap of plies have ended is played on, but not one that lacks stones (stone_supply), whose board
// stands.
std::vector<float> owners_by_playouts(const GoGame& game, const State& state, int playouts, Random& random);
// Of 400 playouts that are always the same ones.
std::vector<float> owners_by_playouts(const GoGame& game, const State& state);

// The stones of the chain on this point, in rising order; empty where there is none.
std::vector<Action> chain_at(const GoGame& game, const State& state, Action point);

// The stones of all chains on whose points the other colour lives after more than 0.6 of these playouts, in rising
// order. It is meant for the end of a game: an unsettled position has stones of which nobody can say.
std::vector<Action> likely_dead(const GoGame& game, const State& state);

// The board without the dead stones, which become prisoners. Its keys are not kept up: it is for counting alone.
State without_stones(const GoGame& game, State state, std::span<const Action> dead);

// The result of the count as SGF writes it: "B+3.5", "0" for a draw.
std::string count_result(const GoGame& game, const State& state);

}  // namespace koridor::go
