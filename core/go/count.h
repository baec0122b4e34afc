// The count at the end of a game, as people have it: who will own each point, which stones are dead, and what the board
// is worth without them. Engines and people at the board count so, and training learns from it who owns what. The rules
// themselves know no dead stones (game.h): what is on the board is alive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/go/game.h"

namespace koridor::go {

// Who will own each point if play goes on: the share of so many random games from the position, *playouts*, at whose
// end black owns it, [rows * columns]; a neutral point counts half. playouts >= 1.
// - Every other playout begins with the colour that is not to move.
// - Nobody fills an own eye. At nine plies of ten a colour that can take a chain in atari, or save an own one, does so:
//   otherwise dead stones live too often.
// - A game that is over by passes, or by its cap of plies, is played on; the cap counts anew, and what was on the board
//   before may come again. With a cap that is too small for that no stone is found dead.
// - Where the player to move has no stones left (stone_supply) the board stands as it is.
std::vector<float> owners_by_playouts(const GoGame& game, const State& state, int playouts, Random& random);
// By 400 playouts, the same ones for the same position: 12 ms on 9x9 and 80 ms on 19x19 at the end of a game.
std::vector<float> owners_by_playouts(const GoGame& game, const State& state);

// The stones of the chain on this point, in rising order; empty where there is none.
std::vector<Action> chain_at(const GoGame& game, const State& state, Action point);

// The stones of all chains of which those playouts say on average that the other colour will own their points with
// more than 0.6, in rising order. It is meant for the end of a game: an unsettled position has stones of which
// nobody can say.
std::vector<Action> likely_dead(const GoGame& game, const State& state);

// The board without the dead stones, which become prisoners. Its keys are not kept up: it is for counting alone.
State without_stones(const GoGame& game, State state, std::span<const Action> dead);

// The result of the count as SGF writes it: "B+3.5", "0" for a draw.
std::string count_result(const GoGame& game, const State& state);

}  // namespace koridor::go
