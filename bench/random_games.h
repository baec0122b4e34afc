// Whole games of random moves, as many as fit into the time of a measurement.
#pragma once

#include <cstdint>

#include "bench/measure.h"
#include "core/base/random.h"
#include "core/game.h"

namespace koridor::bench {

struct RandomGames {
  Rate games;        // per second
  double plies = 0;  // per game, on average
};

// draw(position, random) chooses the action.
template <Game G, class Draw>
RandomGames measure_random_games(const G& game, Draw&& draw) {
  Random random(1);
  std::int64_t played = 0;
  std::int64_t plies = 0;
  Position<G> position(game);
  RandomGames result;
  result.games = measure([&] {
    constexpr int kGames = 200;
    for (int i = 0; i < kGames; ++i) {
      position.state = game.initial_state();
      position.history.clear();
      while (!game.outcome(position.state, position.history).over()) {
        position.apply(game, draw(position, random));
      }
      plies += game.ply(position.state);
    }
    played += kGames;
    return kGames;
  });
  result.plies = static_cast<double>(plies) / static_cast<double>(played);
  return result;
}

}  // namespace koridor::bench
