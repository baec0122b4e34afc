// The count at the end of a game between people: who will own each point, which stones are dead, and what the board is
// worth without them. The rules themselves know no dead stones (game.h): what is on the board is alive.
#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/go/game.h"

namespace koridor::go {

// The share of random playouts from the position after which black owns each point, [rows * columns]; a neutral point
// counts half. A game that two passes have ended is played on.
std::vector<float> owners_by_playouts(const GoGame& game, const Position<GoGame>& position, int playouts,
                                      Random& random);

// The stones of the chain on this point, in rising order; empty where there is none.
std::vector<Action> chain_at(const GoGame& game, const State& state, Action point);

// The stones of all chains of which `owners` ([rows * columns], the probability that black will own a point) says on
// average that the other colour will own them with 0.7 or more.
std::vector<Action> likely_dead(const GoGame& game, const State& state, std::span<const float> owners);

// The board without the dead stones, which become prisoners. Its keys are not kept up: it is for counting alone.
State without_stones(const GoGame& game, State state, std::span<const Action> dead);

// The result of the count as SGF writes it: "B+3.5", "0" for a draw.
std::string count_result(const GoGame& game, const State& state);

}  // namespace koridor::go
