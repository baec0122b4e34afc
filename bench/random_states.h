// Positions of any game to measure on.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"

namespace koridor::bench {

// The positions of random games one after the other, each game from its initial position on; none of them is over.
template <Game G>
std::vector<typename G::State> random_states(const G& game, std::size_t count) {
  std::vector<typename G::State> states;
  std::vector<Action> choices;
  Random random(1);
  while (states.size() < count) {
    Position position(game);
    while (states.size() < count && !game.outcome(position.state, position.history).over()) {
      states.push_back(position.state);
      ActionMask legal;
      game.legal_actions(position.state, position.history, legal);
      choices.clear();
      legal.for_each([&](Action action) { choices.push_back(action); });
      position.apply(game, choices[static_cast<std::size_t>(random.below(static_cast<int>(choices.size())))]);
    }
  }
  return states;
}

}  // namespace koridor::bench
