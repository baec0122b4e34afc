// Encoded positions: a game's first, and those of random games, to compare what two programs say of a network with.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"

namespace koridor {

struct EncodedPositions {
  EncodingShape shape;
  int size = 0;
  std::vector<float> planes;   // [size, planes, rows, columns]
  std::vector<float> scalars;  // [size, scalars]
};

template <Game G>
EncodedPositions starting_position(const G& game, const Features& features) {
  EncodedPositions start{game.encoding(features), 1, {}, {}};
  start.planes.resize(static_cast<std::size_t>(start.shape.plane_floats()));
  start.scalars.resize(static_cast<std::size_t>(start.shape.scalars));
  game.encode(game.initial_state(), features, 0, start.planes.data(), start.scalars.data());
  return start;
}

// `size` positions, none of them over, out of games of random legal actions, each action equally likely. One position
// in three is taken, so that fewer of them look alike. Equal seeds give equal positions.
template <Game G>
EncodedPositions random_positions(const G& game, const Features& features, int size, std::uint64_t seed) {
  constexpr int kPliesEach = 3;
  EncodedPositions positions{game.encoding(features), size, {}, {}};
  const auto planes = static_cast<std::size_t>(positions.shape.plane_floats());
  const auto scalars = static_cast<std::size_t>(positions.shape.scalars);
  positions.planes.resize(static_cast<std::size_t>(size) * planes);
  positions.scalars.resize(static_cast<std::size_t>(size) * scalars);
  Random random(seed);
  Position<G> position(game);
  std::vector<Action> legal;
  for (std::size_t taken = 0; taken < static_cast<std::size_t>(size);) {
    if (game.outcome(position.state, position.history).over()) position = Position<G>(game);
    if (random.below(kPliesEach) == 0) {
      game.encode(position.state, features, 0, positions.planes.data() + taken * planes,
                  positions.scalars.data() + taken * scalars);
      ++taken;
    }
    ActionMask mask;
    game.legal_actions(position.state, position.history, mask);
    legal.clear();
    mask.for_each([&](Action action) { legal.push_back(action); });
    position.apply(game, legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))]);
  }
  return positions;
}

}  // namespace koridor
