#include "bench/wall_positions.h"

namespace koridor::bench {

std::vector<wall::State> sample_positions(const wall::WallGame& game, std::size_t count) {
  std::vector<wall::State> states;
  Random random(1);
  while (states.size() < count) {
    Position position(game);
    while (states.size() < count && !game.outcome(position.state, position.history).over()) {
      const int mover = position.state.player;
      const bool has_wall = position.state.walls_left[mover * 2] + position.state.walls_left[mover * 2 + 1] > 0;
      if (has_wall || game.rules().walls == 0) states.push_back(position.state);
      Action action = game.random_legal_action(position.state, random);
      if (random.chance(0.5)) {
        ActionMask mask;
        game.legal_actions(position.state, position.history, mask);
        int best = -1'000'000;
        mask.for_each([&](Action candidate) {
          wall::State next = position.state;
          game.apply(next, candidate);
          const int value = game.heuristic(next, mover);
          if (value > best) {
            best = value;
            action = candidate;
          }
        });
      }
      position.apply(game, action);
    }
  }
  return states;
}

}  // namespace koridor::bench
